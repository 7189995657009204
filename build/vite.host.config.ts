// Bundles the program into dist/host: the command line with the host (cli.js) and the desktop shell with it (electron.js),
// which start in half the time of the sources and with less memory; `--mode workers` bundles what is started as a process of
// its own: each killable child process into workers/<name>.js, and the file that starts them in Electron. Packages stay
// outside: they are packed as they are, native ones unpacked.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
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

const programs = Object.entries(PROGRAMS).map(([name, file]) => [name, root + file] as const)

export default defineConfig(({ mode }) => {
  const forWorkers = mode === 'workers'
  return {
    root,
    cacheDir: `${root}node_modules/.vite`,
    // The host never reads a vite variable or a public folder.
    envDir: false,
    publicDir: false,
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
        external: [/^node:/, /^electron$/, /^(?![./#]|[A-Za-z]:|\0)/],
        output: {
          format: 'es',
          entryFileNames: '[name].js',
          // What is loaded later lies beside what loads it: paths that the host derives from its own place (its workers) hold
          // in every part. By hash, so that a host that runs finds its own parts after another build.
          chunkFileNames: forWorkers ? 'workers/parts/[name]-[hash].js' : 'host-[name]-[hash].js',
        },
      },
    },
  }
})
