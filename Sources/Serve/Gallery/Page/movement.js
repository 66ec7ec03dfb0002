/**
 * Changes the page as one movement, in which one picture grows from its place to its next; at once
 * where less motion is wanted, or the browser can't.
 * @param {HTMLElement | null | undefined} from @param {() => void} change
 * @param {() => HTMLElement | null | undefined} to the picture's place after the change
 */
function moveAs(from, change, to) {
  if (isCalm.matches || document.hidden || !document.startViewTransition) {
    change();
    return;
  }
  let place = from;
  const name = (/** @type {string} */ text) =>
    place?.style.setProperty("view-transition-name", text);
  name("picture");
  const movement = document.startViewTransition(() => {
    name("none");
    change();
    place = to();
    name("picture");
  });
  // One that the next overtakes is skipped.
  movement.ready.catch(() => {});
  movement.finished.finally(() => name("none"));
}
