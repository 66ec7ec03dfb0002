// Types of what the gallery's modules get: the service's documents, the elements of page.html, and
// members of the browser that older type checkers don't know.

interface Size {
  width: number;
  height: number;
}

/** An item, as lists and `/v1/{item}` have it. */
interface ItemDocument extends ItemFacts {
  item: string;
  id: string;
  title: string;
  language: string | null;
  subtitle: string | null;
  date: string | null;
  genres: string[];
  aspectRatio: number | null;
  thumbhash: string | null;
  color: string | null;
  failure: string | undefined;
  favorite: boolean | undefined;
  thumbnails: Record<string, { url: string; width: number; height: number; box: boolean }>;
  original: Size | undefined;
  detail?: { item: string } | null;
}

/** What only the large picture shows. */
interface ItemFacts {
  objectNumber: string | null;
  summary: string | null;
  link: string | null;
  rights: string | null;
  tracks: { title: string }[] | undefined;
  medium: string | undefined;
  dimensions: string | undefined;
  creditLine: string | undefined;
  followers: number | undefined;
  trackCount: number | undefined;
  milliseconds: number | undefined;
}

interface PageDocument {
  items: ItemDocument[];
  next: string | null;
  total: number | null;
  searchedPages?: number;
  directories?: { dir: string; url: string }[];
  stale: boolean;
  fetchedAt: string;
}

interface HistoryDocument {
  searches: {
    source: string;
    list: string;
    term: string;
    parameters: Record<string, string>;
    searchedAt: string;
  }[];
}

interface StatusDocument {
  hitRatio: number | null;
  /** The seconds that the ratio is of; absent for the time since the start. */
  hitRatioSeconds?: number;
  requestsPerSecond: number;
  disk: { bytes: number; limit: number | null };
  memory: { bytes: number; limit: number | null };
  warming: {
    /** As on the command line. */
    name: string;
    title?: string;
    source?: string | null;
    list?: string | null;
    done: number;
    total: number | null;
    perSecond?: number | null;
  }[];
  sources: { name: string; missing: string | null }[];
}

interface ExplanationDocument {
  candidates: Candidate[];
  resolvedAt: string | null;
  steps: { label: string; outcome: string; note: string; milliseconds: number | null }[];
  levels: TracedLevel[];
}

interface Candidate {
  label: string;
  host: string | null;
  state: string;
  reason: string | null;
  size: Size | null;
  bytes: number | null;
  format: string | null;
  askedAt: string | null;
  milliseconds: number | null;
}

interface TracedLevel {
  name: string;
  candidate: string | null;
  failure: string | null;
  thumbnails: { format: string; size: Size; bytes: number }[];
}

/** `info.json` of the IIIF Image API. */
interface ImageInformation extends Size {
  tiles?: { width: number; height?: number; scaleFactors: number[] }[];
}

interface Elements {
  "as-grid": HTMLButtonElement;
  "as-list": HTMLButtonElement;
  banner: HTMLElement;
  chips: HTMLElement;
  clear: HTMLButtonElement;
  count: HTMLElement;
  columns: HTMLElement;
  credit: HTMLElement;
  "date-rule": HTMLElement;
  detail: HTMLDialogElement;
  directories: HTMLElement;
  facts: HTMLElement;
  filters: HTMLDetailsElement;
  footer: HTMLElement;
  from: HTMLInputElement;
  genre: HTMLSelectElement;
  grid: HTMLElement;
  find: HTMLButtonElement;
  header: HTMLElement;
  heading: HTMLElement;
  history: HTMLButtonElement;
  "history-panel": HTMLElement;
  keys: HTMLButtonElement;
  "keys-panel": HTMLDialogElement;
  levels: HTMLElement;
  language: HTMLSelectElement;
  list: HTMLSelectElement;
  loading: HTMLElement;
  more: HTMLElement;
  rule: HTMLElement;
  said: HTMLElement;
  search: HTMLFormElement;
  searched: HTMLDataListElement;
  searching: HTMLElement;
  sections: HTMLElement;
  size: HTMLInputElement;
  skip: HTMLAnchorElement;
  stage: HTMLElement;
  status: HTMLButtonElement;
  "status-panel": HTMLElement;
  strip: HTMLElement;
  term: HTMLInputElement;
  theme: HTMLSelectElement;
  to: HTMLInputElement;
  toast: HTMLElement;
  tools: HTMLElement;
  trace: HTMLElement;
  welcome: HTMLElement;
}

interface HTMLElement {
  showPopover(): void;
  hidePopover(): void;
}

interface Element {
  checkVisibility(): boolean;
}

interface Document {
  startViewTransition?(change: () => void): { ready: Promise<void>; finished: Promise<void> };
}

interface PerformanceResourceTiming {
  responseStatus: number;
}

interface Array<T> {
  findLast(matches: (value: T, index: number, all: T[]) => unknown): T | undefined;
  findLastIndex(matches: (value: T, index: number, all: T[]) => unknown): number;
}
