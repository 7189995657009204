// Bundles the screens into dist/renderer: hashed assets under relative paths, so the same files work at /_console and
// under app://cairn/. Nothing is inlined into the page: the content security policy allows no inline script.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { HtmlTagDescriptor, Plugin } from 'vite'
import { shippedPackages } from './scripts/shipped-packages.ts'

const hostUrl = `http://127.0.0.1:${process.env.CAIRN_PORT ?? '7420'}`

// The host admits no foreign origin, so the development server speaks to it as its own page would.
const toHost = { target: hostUrl, changeOrigin: true, ws: true, headers: { origin: hostUrl } }

/** Writes whose work is shipped beside the screens, for the page about Cairn. */
const licences = (): Plugin => ({
  name: 'licences',
  generateBundle(_options, bundle) {
    const root = fileURLToPath(new URL('../renderer', import.meta.url))
    const modules = Object.values(bundle).flatMap((each) =>
      each.type === 'chunk' ? each.moduleIds : each.originalFileNames.map((name) => resolve(root, name)),
    )
    const packages = shippedPackages(fileURLToPath(new URL('..', import.meta.url)), modules)
    this.emitFile({ type: 'asset', fileName: 'licences.json', source: JSON.stringify(packages) })
  },
})

/**
 * Names what the application is made of in the page: its chunks are fetched beside the words of the language, whose
 * arrival they wait for before they run.
 */
const fetchedAtOnce = (): Plugin => ({
  name: 'fetched-at-once',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const chunks = new Set<string>()
      const styles = new Set<string>()
      const add = (fileName: string): void => {
        const chunk = bundle[fileName]
        if (chunk?.type !== 'chunk' || chunk.facadeModuleId?.endsWith('.html') || chunks.has(fileName)) return
        chunks.add(fileName)
        for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style)
        for (const imported of chunk.imports) add(imported)
      }
      for (const [fileName, chunk] of Object.entries(bundle)) {
        if (chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith('/app/draw-application.tsx')) add(fileName)
      }
      const link = (rel: string, fileName: string, more = {}): HtmlTagDescriptor => ({
        tag: 'link',
        attrs: { rel, crossorigin: true, href: `./${fileName}`, ...more },
        injectTo: 'head',
      })
      return [
        ...[...chunks].map((fileName) => link('modulepreload', fileName)),
        ...[...styles].map((fileName) => link('preload', fileName, { as: 'style' })),
      ]
    },
  },
})

export default defineConfig(({ command }) => ({
  root: fileURLToPath(new URL('../renderer', import.meta.url)),
  // The development server answers where the host does, so that addresses relative to the page hold there too.
  base: command === 'serve' ? '/_console/' : './',
  cacheDir: fileURLToPath(new URL('../node_modules/.vite', import.meta.url)),
  plugins: [react(), licences(), fetchedAtOnce()],
  build: {
    outDir: fileURLToPath(new URL('../dist/renderer', import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // The first engines with light-dark(): for older ones it would be rewritten into something that cannot follow a switch.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The size check reads which chunks the first page needs from here.
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      // A feature is used through its index: what of it a screen does not use is not carried along for its styles.
      treeshake: { moduleSideEffects: (id) => !/\/renderer\/features\/.*\.tsx?$/.test(id) },
      // Both are an entry: what either needs is one chunk. Of a hundred small files a page would wait for the hundredth.
      input: {
        index: fileURLToPath(new URL('../renderer/index.html', import.meta.url)),
        'draw-application': fileURLToPath(new URL('../renderer/app/draw-application.tsx', import.meta.url)),
      },
      output: {
        codeSplitting: {
          groups: [
            // They come before the rest of the application runs: its modules ask for them.
            {
              name: 'words',
              test: /[\\/](index\.html|main\.tsx|modulepreload-polyfill)/,
              tags: ['$initial'],
              priority: 2,
            },
            { name: 'application', tags: ['$initial'], priority: 1 },
            // What half of the screens use, and what lies over them.
            { name: 'parts', minShareCount: 20 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 1_500,
  },
  server: {
    host: '127.0.0.1',
    port: 7430,
    strictPort: false,
    proxy: { '/api': toHost, '/.well-known': toHost, '/_console/session': toHost },
  },
}))
