"use client";
// A loader for next/image: the `src` of an <Image> is an item, such as tvmaze/show/1.
//
//   // next.config.js: each width that Next.js asks for is that of a level.
//   images: { loader: "custom", loaderFile: "./next-loader.js", imageSizes: [80, 160, 320], deviceSizes: [640, 1280] }
//
//   <Image src="tvmaze/show/1" alt={show.title} width={110} height={165} sizes="110px" />

const service = "https://pictures.example.org";
// The widths of your levels: GET /v1 has them.
const levels = [["xs", 80], ["s", 160], ["m", 320], ["l", 640], ["xl", 1280]];

export default function vitrineLoader({ src, width }) {
  const [level] = levels.find(([, levelWidth]) => levelWidth >= width) ?? levels.at(-1);
  return `${service}/t/${level}/${src.split("/").map(encodeURIComponent).join("/")}`;
}
