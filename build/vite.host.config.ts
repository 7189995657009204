// Bundles the program into dist/host: the command line with the host (cli.js) and the desktop shell with it (electron.js),
// which start in half the time of the sources and with less memory; `--mode workers` bundles what is started as a process of
// its own: each killable child process into workers/<name>.js, and the file that starts them in Electron. Packages stay
// outside, but for those of many small files: they are packed as they are, native ones unpacked.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Programs by their name in dist/host; the rest of main/workers is part of the host. */
const PROGRAMS = {
  'workers/reader': 'main/workers/reader.ts',
  'workers/checkpointer': 'main/workers/checkpointer.ts',
  'workers/ddl-runner': 'main/workers/ddl-runner.ts',
  'workers/sql-runner': 'main/workers/sql-runner.ts',
  'workers/script-runner': 'main/workers/script-runner.ts',
  'workers/sheet': 'main/workers/sheet.ts',
  'child-bootstrap': 'electron/child-bootstrap.ts',
}

/** Packages of many small files without state that every start loads. */
const BUNDLED = /^(?:zod|semver|@marcbachmann\/cel-js)(?:\/|$)/

const programs = Object.entries(PROGRAMS).map(([name, file]) => [name, root + file] as const)

/**
 * Writes what is not ASCII as escapes: a file of bytes below 128 is kept by V8 as it is read, any other is held twice as
 * wide and encoded once more for the cache of compiled modules.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk') continue
      // There it would become two characters.
      if (/\\[^\0-\x7f]/.test(part.code)) throw new Error(`${part.fileName} escapes what is not ASCII.`)
      part.code = part.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

export default defineConfig(({ mode }) => {
  const forWorkers = mode === 'workers'
  return {
    root,
    cacheDir: `${root}node_modules/.vite`,
    // The host never reads a vite variable or a public folder.
    envDir: false,
    publicDir: false,
    plugins: [asciiOnly],
    ssr: { noExternal: [BUNDLED] },
    build: {
      ssr: true,
      target: 'node24',
      outDir: `${root}dist/host`,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: forWorkers
          ? Object.fromEntries(programs.filter(([, file]) => existsSync(file)))
          : { electron: `${root}electron/main.ts`, cli: `${root}main/cli.mjs` },
        // Everything that is not ours by path or by the two prefixes of package.json "imports".
        external: (id) => !/^(?:[./#]|[A-Za-z]:|\0)/.test(id) && !BUNDLED.test(id),
        output: {
          format: 'es',
          comments: { legal: true, annotation: false, jsdoc: false },
          entryFileNames: '[name].js',
          // What is loaded later lies beside what loads it: paths that the host derives from its own place (its workers) hold
          // in every part. By hash, so that a host that runs finds its own parts after another build.
          chunkFileNames: forWorkers ? 'workers/parts/[name]-[hash].js' : 'host-[name]-[hash].js',
        },
      },
    },
  }
})
