// Bundles the preload into one CommonJS file: a sandboxed preload can load neither modules nor files beside it.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

export default defineConfig({
  root,
  cacheDir: `${root}node_modules/.vite`,
  envDir: false,
  publicDir: false,
  build: {
    lib: { entry: `${root}electron/preload.ts`, formats: ['cjs'], fileName: () => 'preload.cjs' },
    target: 'chrome140',
    outDir: `${root}dist/host`,
    emptyOutDir: false,
    minify: false,
    rolldownOptions: { external: ['electron'] },
  },
})
