// Bundles the shell with the host, and each killable child process, into dist/host as ES modules. Packages stay
// outside: they are packed as they are, native ones unpacked.
import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const workersFolder = `${root}main/workers`

// Only files that are started as programs; the pool that starts them is part of the host.
const workers = existsSync(workersFolder)
  ? readdirSync(workersFolder).filter((file) => file.endsWith('.ts') && !file.includes('.test.') && file !== 'pool.ts')
  : []

export default defineConfig({
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
      input: {
        electron: `${root}electron/main.ts`,
        'child-bootstrap': `${root}electron/child-bootstrap.ts`,
        ...Object.fromEntries(
          workers.map((file) => [`workers/${basename(file, '.ts')}`, `${workersFolder}/${file}`] as const),
        ),
      },
      // Everything that is not ours by path or by the two prefixes of package.json "imports".
      external: [/^node:/, /^electron$/, /^(?![./#]|[A-Za-z]:|\0)/],
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
    },
  },
})
