/** Pans and zooms with a mouse or fingers over the canvas; a throw glides on.
 * @param {DeepZoom} deep */
function listenForPan(deep) {
  const { canvas } = deep;
  /** @type {Map<number, {x: number, y: number}>} */
  const pointers = new Map();
  const at = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  /** Of the last movements of one finger. @type {{x: number, y: number, at: number}} */
  let speed = { x: 0, y: 0, at: 0 };
  let hasPinched = false;
  canvas.addEventListener("pointerdown", (event) => {
    hasPinched = pointers.size > 0;
    deep.goal = deep.drift = null;
    speed = { x: 0, y: 0, at: event.timeStamp };
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, at(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, now);
    if (!other) {
      const passed = Math.max(1, event.timeStamp - speed.at);
      speed = {
        x: (speed.x + (now.x - before.x) / passed) / 2,
        y: (speed.y + (now.y - before.y) / passed) / 2, at: event.timeStamp,
      };
      deep.moveBy(now.x - before.x, now.y - before.y);
      return;
    }
    const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
    deep.goal = null;
    deep.moveBy((now.x - before.x) / 2, (now.y - before.y) / 2);
    deep.zoomBy(
      Math.hypot(now.x - other.x, now.y - other.y)
        / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y)), middle.x, middle.y);
  });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
    canvas.addEventListener(end, ({ pointerId, timeStamp }) => {
      if (!pointers.delete(pointerId) || pointers.size > 0) return;
      if (hasPinched && deep.isWhole) {
        deep.onEnd();
        return;
      }
      // A finger that rested throws nothing.
      if (timeStamp - speed.at < 60) deep.throwBy(speed);
    });
  }
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    deep.easeBy(Math.exp(-event.deltaY / 400), at(event).x, at(event).y);
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => {
    event.stopPropagation();
    deep.easeBy(2, at(event).x, at(event).y);
  });
}
