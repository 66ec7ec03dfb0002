// The sections of sources in the settings, which the service fills in.
const configured = {{sources}};

// What there is to look at: a list to browse, one to search, and the shape most of its pictures have.
const sections = [
  {
    id: "shows", name: "TV shows", shape: 2 / 3,
    browse: [["tvmaze/shows", "All"]], search: ["tvmaze/search", "q"],
    hint: "Search TV shows",
    credit: ["Data and pictures by ", ["TVmaze", "https://www.tvmaze.com"], ", CC BY-SA."],
  },
  {
    id: "films", name: "Films", shape: 2 / 3,
    browse: [["tmdb/movies/popular", "Popular"], ["tmdb/movies/top-rated", "Top rated"]],
    search: ["tmdb/search", "q"], hint: "Search films",
    credit: [
      "This product uses the ", ["TMDB", "https://www.themoviedb.org"],
      " API but is not endorsed or certified by TMDB.",
    ],
  },
  {
    id: "artworks", name: "Artworks", shape: 1,
    browse: [["rijksmuseum/objects", "All"]], search: ["rijksmuseum/objects", "title"],
    hint: "Search titles", languages: true,
    credit: ["From the collection of the ", ["Rijksmuseum", "https://www.rijksmuseum.nl"], "."],
  },
  {
    id: "albums", name: "Albums", shape: 1, search: ["itunes/albums", "term"],
    hint: "Search albums",
    credit: ["Covers courtesy of ", ["iTunes", "https://music.apple.com"], "."],
  },
  {
    id: "artists", name: "Artists", shape: 1, search: ["spotify/artists", "q"],
    hint: "Search artists",
    credit: ["Pictures and data by ", ["Spotify", "https://open.spotify.com"], "."],
  },
  ...configured,
  { id: "favorites", name: "Favorites", shape: 2 / 3, url: "/v1/favorites", credit: [] },
];

// The fewest letters a search takes.
const fewest = 3;

// The address of the first page of what is looked at; null where there is nothing to ask yet.
function firstPage(view) {
  const section = view.section;
  if (section.url) return section.url;
  const parameters = new URLSearchParams();
  let list;
  if (view.albumsOf) {
    list = `spotify/artists/${encodeURIComponent(view.albumsOf)}/albums`;
  } else if (view.term && section.search) {
    list = section.search[0];
    parameters.set(section.search[1], view.term);
  } else if (section.browse) {
    list = (section.browse.find(([path]) => path === view.list) ?? section.browse[0])[0];
  } else {
    return null;
  }
  for (const name of ["title", "genre", "from", "to", "lang"]) {
    if (view[name] && !parameters.has(name)) parameters.set(name, view[name]);
  }
  const query = parameters.toString();
  return `/v1/${list}${query ? `?${query}` : ""}`;
}
