// A provider for Nuxt Image 2: the `src` of a <NuxtImg> is an item, such as tvmaze/show/1.
//
//   // nuxt.config.ts
//   image: { providers: { vitrine: { provider: "~/providers/nuxt-provider.js",
//     options: { baseURL: "https://pictures.example.org" } } } }
//
//   <NuxtImg provider="vitrine" src="tvmaze/show/1" :alt="show.title" width="110" height="165" sizes="110px" />
import { defineProvider } from "@nuxt/image/runtime";

// The widths of your levels: GET /v1 has them.
const levels = [["xs", 80], ["s", 160], ["m", 320], ["l", 640], ["xl", 1280]];

export default defineProvider({
  getImage(src, { modifiers: { width = 320, format } = {}, baseURL }) {
    const [level] = levels.find(([, levelWidth]) => levelWidth >= Number(width)) ?? levels.at(-1);
    const item = src.split("/").map(encodeURIComponent).join("/");
    return { url: `${baseURL}/t/${level}/${item}${format ? `.${format}` : ""}` };
  },
});
