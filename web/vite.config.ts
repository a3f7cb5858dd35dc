// One file: scripts and styles inlined, nothing fetched. The result is committed as page.html (see script/web).
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: "es2022", outDir: "dist", emptyOutDir: true, reportCompressedSize: false },
});
