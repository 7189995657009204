// Starts Cairn: finds a Node that can run it, builds stale screens, opens a window where one is possible, else runs
// the host in this process. Must parse on Node 12 and import only node: modules (old Nodes land here first, and
// nothing may be loaded before the version is known), so: no optional chaining, no `??`, no top-level await, and no
// named import of what an old Node does not export yet.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import util from 'node:util'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const NODE_MAJOR = 24
const ELECTRON_FETCH_TIMEOUT_MS = 90000
const ELECTRON_GRACE_MS = 5000

/**
 * What a build reads and how it is made: one pass of vite for each mode, into a folder beside `folder`. Then `folder` is
 * replaced as a whole, so that a page half old and half new is never served; what is `shared` is put into it file by
 * file, since a host that runs loads some of its parts later.
 */
const BUILDS = {
  renderer: {
    config: 'build/vite.renderer.config.ts',
    modes: ['production'],
    inputs: ['renderer', 'shared', 'build', 'package-lock.json'],
    output: 'dist/renderer/index.html',
    folder: 'dist/renderer',
    shared: false,
  },
  host: {
    config: 'build/vite.host.config.ts',
    modes: ['production', 'workers'],
    inputs: ['electron', 'main', 'shared', 'build', 'package-lock.json'],
    output: 'dist/host/cli.js',
    folder: 'dist/host',
    shared: true,
  },
  preload: {
    config: 'build/vite.preload.config.ts',
    modes: ['production'],
    inputs: ['electron', 'shared', 'build', 'package-lock.json'],
    output: 'dist/host/preload.cjs',
    folder: 'dist/host',
    shared: true,
  },
}

/**
 * Splits the command line into what to do and what is passed on.
 * @param {readonly string[]} argv arguments after the script name
 * @returns {{ mode: string, rest: string[] }} mode: start, serve, open, relay, dev, sources, cli, build,
 *   build-screens or build-host
 */
export function readArguments(argv) {
  const modes = ['start', 'serve', 'open', 'relay', 'dev', 'sources', 'cli', 'build', 'build-screens', 'build-host']
  const first = argv[0]
  if (first !== undefined && modes.indexOf(first) >= 0) return { mode: first, rest: argv.slice(1) }
  return { mode: 'start', rest: argv.slice() }
}

/**
 * Whether this Node cannot run Cairn: better-sqlite3 segfaults on Node 20, it does not throw.
 * @param {string} version as in process.versions.node
 */
export function isTooOld(version) {
  return !(Number(version.split('.')[0]) >= NODE_MAJOR)
}

/**
 * Path of the Node 24 that came as an optional dependency, or '' when there is none for this machine.
 * @param {string} root @param {string} platform @param {string} arch
 */
export function findBundledNode(root, platform, arch) {
  const name = platform === 'win32' ? 'win' : platform
  const path = join(
    root,
    'node_modules',
    'node-' + name + '-' + arch,
    'bin',
    platform === 'win32' ? 'node.exe' : 'node',
  )
  return fs.existsSync(path) ? path : ''
}

/**
 * Whether a window can be shown: a display is there and the user is not root (Chromium refuses a sandbox to root).
 * @param {string} platform @param {Record<string, string | undefined>} env @param {number} uid -1 where there is none
 */
export function canShowWindow(platform, env, uid) {
  if (uid === 0) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/**
 * Path of the fetched Electron binary, or ''. Never imports the package: its import starts a download and throws.
 * @param {string} root
 */
export function findElectron(root) {
  const folder = join(root, 'node_modules', 'electron')
  const pathFile = join(folder, 'path.txt')
  if (!fs.existsSync(pathFile)) return ''
  const binary = join(folder, 'dist', fs.readFileSync(pathFile, 'utf8').trim())
  return fs.existsSync(binary) ? binary : ''
}

/**
 * Every file a build depends on as `path size mtime` lines, sorted; tests and check scripts change no bundle.
 * @param {string} root @param {readonly string[]} inputs folders or files relative to root
 * @returns {string[]}
 */
export function listInputs(root, inputs) {
  /** @type {string[]} */
  const lines = []
  /** @param {string} path */
  const visit = (path) => {
    const full = join(root, path)
    if (!fs.existsSync(full)) return
    const info = fs.statSync(full)
    if (info.isDirectory()) {
      if (path === 'build/scripts') return
      fs.readdirSync(full).forEach((name) => visit(path + '/' + name))
    } else if (!/\.test(-d)?\.tsx?$|\.md$|\.tsbuildinfo$/.test(path)) {
      lines.push(path + ' ' + info.size + ' ' + info.mtimeMs)
    }
  }
  inputs.forEach(visit)
  return lines.sort()
}

/**
 * The stamp of a list of inputs: equal lists, equal stamp.
 * @param {readonly string[]} lines
 */
export function stampOf(lines) {
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** @param {string} root @returns {Record<string, string>} stamps of the last builds by target */
function readStamps(root) {
  try {
    return JSON.parse(fs.readFileSync(join(root, 'dist', 'build-stamps.json'), 'utf8'))
  } catch {
    return {} // none yet, or cut short by a kill: both mean "build again"
  }
}

/**
 * Whether a build is missing or older than what it reads.
 * @param {string} root @param {keyof typeof BUILDS} target
 */
export function isStale(root, target) {
  const build = BUILDS[target]
  if (!fs.existsSync(join(root, build.output))) return true
  return readStamps(root)[target] !== stampOf(listInputs(root, build.inputs))
}

/**
 * Builds one target with vite and records its stamp.
 * @param {string} root @param {keyof typeof BUILDS} target
 * @returns {string} why it failed, '' after a success
 */
export function buildTarget(root, target) {
  const build = BUILDS[target]
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  if (!fs.existsSync(vite)) return 'vite is not installed (run npm ci)'
  const stamp = stampOf(listInputs(root, build.inputs))
  const staging = join(root, build.folder + '.' + process.pid)
  process.stderr.write('Building ' + (target === 'renderer' ? 'the screens' : 'the ' + target) + ' ...\n')
  for (const mode of build.modes) {
    const args = [vite, 'build', '--config', build.config, '--mode', mode, '--logLevel', 'warn']
    // Node reads the configuration itself: bundling it would write into node_modules, which may be read-only.
    args.push('--configLoader', 'native')
    args.push('--outDir', staging)
    if (mode === build.modes[0]) args.push('--emptyOutDir')
    // stdout stays free for the one line that names the address; colours are for terminals only.
    // A test runner sets NODE_ENV for itself; vite would take it over and bundle the slow development libraries.
    const env = Object.assign({}, process.env, { NODE_ENV: 'production' })
    const run = spawnSync(process.execPath, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
    })
    const output = (run.stdout || '') + (run.stderr || '')
    process.stderr.write(process.stderr.isTTY ? output : util.stripVTControlCharacters(output))
    if (run.status !== 0) {
      fs.rmSync(staging, { recursive: true, force: true })
      return 'vite build failed' + (run.error ? ': ' + run.error.message : '')
    }
  }
  try {
    if (build.shared) moveInto(staging, join(root, build.folder))
    else {
      fs.rmSync(join(root, build.folder), { recursive: true, force: true })
      fs.renameSync(staging, join(root, build.folder))
    }
  } catch (error) {
    // Another start finished the same build in between: its result is as good as ours.
    if (!fs.existsSync(join(root, build.output))) return String(error)
  } finally {
    fs.rmSync(staging, { recursive: true, force: true })
  }
  const stamps = readStamps(root)
  stamps[target] = stamp
  fs.mkdirSync(join(root, 'dist'), { recursive: true })
  fs.writeFileSync(join(root, 'dist', 'build-stamps.json'), JSON.stringify(stamps, null, 2) + '\n')
  return ''
}

/** Moves every file below one folder to its place below another, each at once. @param {string} from @param {string} to */
function moveInto(from, to) {
  fs.mkdirSync(to, { recursive: true })
  fs.readdirSync(from).forEach((name) => {
    const source = join(from, name)
    if (fs.statSync(source).isDirectory()) moveInto(source, join(to, name))
    else fs.renameSync(source, join(to, name))
  })
}

/**
 * Builds what is stale among the targets.
 * @param {string} root @param {readonly (keyof typeof BUILDS)[]} targets @param {boolean} [force]
 * @returns {string} the first failure, '' when all are fresh
 */
export function buildStale(root, targets, force) {
  for (const target of targets) {
    if (!force && !isStale(root, target)) continue
    const failure = buildTarget(root, target)
    if (failure) return target + ': ' + failure
  }
  return ''
}

/**
 * Runs a program in the foreground: signals reach it, its exit code comes back (128 + n after a signal).
 * @param {string} file @param {readonly string[]} args @param {NodeJS.ProcessEnv} env
 * @param {(child: import('node:child_process').ChildProcess) => void} [started]
 * @returns {Promise<number>}
 */
export function runForeground(file, args, env, started) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args.slice(), { stdio: 'inherit', env })
    /** @type {[NodeJS.Signals, () => void][]} */
    const handlers = []
    /** @type {NodeJS.Signals[]} */
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    signals.forEach((signal) => {
      const handler = () => {
        // Ctrl+C in a terminal already reached the child as part of the foreground group; twice means "now".
        if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
      }
      handlers.push([signal, handler])
      process.on(signal, handler)
    })
    const done = () => handlers.forEach((pair) => process.removeListener(pair[0], pair[1]))
    child.on('error', (error) => {
      done()
      reject(error)
    })
    child.on('exit', (code, signal) => {
      done()
      resolve(code === null ? 128 + signalNumber(signal) : code)
    })
    if (started) started(child)
  })
}

/** @param {string | null} signal */
function signalNumber(signal) {
  if (signal === 'SIGINT') return 2
  if (signal === 'SIGHUP') return 1
  if (signal === 'SIGKILL') return 9
  if (signal === 'SIGSEGV') return 11
  return 15
}

/**
 * Runs the window. A failure before ELECTRON_GRACE_MS has passed is answered as a reason, so the caller can go on
 * without one; afterwards the exit code is the answer. An early exit 0 is a second start that focused the first.
 * @param {string} binary @param {readonly string[]} rest
 * @returns {Promise<{ code: number, reason: string }>}
 */
export function runElectron(binary, rest) {
  const env = Object.assign({}, process.env)
  delete env.ELECTRON_RUN_AS_NODE
  const startedAt = Date.now()
  return runForeground(binary, [ROOT].concat(rest), env).then(
    (code) => {
      const early = code !== 0 && Date.now() - startedAt < ELECTRON_GRACE_MS
      return { code, reason: early ? 'the window ended at once with exit code ' + code : '' }
    },
    (error) => ({ code: 1, reason: 'the window could not be started: ' + error.message }),
  )
}

/** Fetches the Electron binary once. @returns {string} why it could not, or '' */
function fetchElectron() {
  if (process.env.CAIRN_OFFLINE === '1') return 'no Electron binary, and CAIRN_OFFLINE=1 forbids fetching one'
  const script = join(ROOT, 'node_modules', 'electron', 'install.js')
  if (!fs.existsSync(script)) return 'Electron is not installed'
  process.stderr.write('Fetching the Electron binary (once; CAIRN_OFFLINE=1 goes on without a window) ...\n')
  const run = spawnSync(process.execPath, [script], {
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: ELECTRON_FETCH_TIMEOUT_MS,
  })
  if (run.status === 0 && findElectron(ROOT)) return ''
  return (
    'the Electron binary could not be fetched' + (run.error ? ' within ' + ELECTRON_FETCH_TIMEOUT_MS / 1000 + ' s' : '')
  )
}

/** Tries the window. @param {readonly string[]} rest @returns {Promise<{ code: number, reason: string }>} */
function tryWindow(rest) {
  const missing = findElectron(ROOT) ? '' : fetchElectron()
  if (missing) return Promise.resolve({ code: 1, reason: missing })
  const failure = buildStale(ROOT, ['renderer', 'host', 'preload'])
  if (failure) return Promise.resolve({ code: 1, reason: 'the window could not be built (' + failure + ')' })
  return runElectron(findElectron(ROOT), rest)
}

/**
 * Runs a command of the host's own command line in this process: its bundle where one is fresh, else its sources.
 * @param {readonly string[]} argv @param {boolean} [fromSources]
 */
function runHost(argv, fromSources) {
  const entry = fromSources || isStale(ROOT, 'host') ? 'main/cli.mjs' : BUILDS.host.output
  return import(pathToFileURL(join(ROOT, entry)).href).then((cli) => cli.runCli(argv.slice()))
}

/** @param {readonly string[]} rest */
function serve(rest) {
  const slower = buildStale(ROOT, ['host'])
  if (slower) process.stderr.write('Cairn runs from its sources (' + slower + ').\n')
  const failure = buildStale(ROOT, ['renderer'])
  if (failure) {
    // The API is useful without screens; an old build is better than none.
    const what = fs.existsSync(join(ROOT, BUILDS.renderer.output))
      ? 'the screens of the last build are used'
      : 'there are no screens'
    process.stderr.write('The screens could not be built (' + failure + '); ' + what + '.\n')
  }
  return runHost(['serve'].concat(rest))
}

/**
 * The host restarts when its sources change; vite serves the screens and passes /api on to it.
 * @param {readonly string[]} rest
 */
function develop(rest) {
  const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js')
  const config = join(ROOT, 'build', 'vite.renderer.config.ts')
  const port = rest[rest.indexOf('--port') + 1]
  const env = Object.assign({}, process.env, rest.indexOf('--port') >= 0 ? { CAIRN_PORT: port } : {})
  const screens = spawn(process.execPath, [vite, '--config', config], { stdio: 'inherit', cwd: ROOT, env })
  const host = ['--watch', '--watch-preserve-output', fileURLToPath(import.meta.url), 'sources'].concat(rest)
  process.on('exit', () => screens.kill())
  return runForeground(process.execPath, host, process.env).then((code) => {
    screens.kill()
    return code
  })
}

/** @param {string} mode @param {readonly string[]} rest @returns {Promise<number>} */
function run(mode, rest) {
  if (mode === 'cli') return runHost(rest)
  if (mode === 'open' || mode === 'relay') return runHost([mode].concat(rest))
  if (mode === 'dev') return develop(rest)
  if (mode === 'sources') return runHost(['serve'].concat(rest), true)
  if (mode === 'serve') return serve(rest)
  if (mode === 'build' || mode === 'build-screens' || mode === 'build-host') {
    /** @type {(keyof typeof BUILDS)[]} */
    const all = ['renderer', 'host', 'preload']
    const targets =
      mode === 'build' ? all : all.filter((name) => name === (mode === 'build-host' ? 'host' : 'renderer'))
    if (mode === 'build') fs.rmSync(join(ROOT, BUILDS.host.folder), { recursive: true, force: true })
    const failure = buildStale(ROOT, targets, mode === 'build')
    if (failure) process.stderr.write(failure + '\n')
    return Promise.resolve(failure ? 1 : 0)
  }
  const uid = process.getuid ? process.getuid() : -1
  if (!canShowWindow(process.platform, process.env, uid)) return serve(rest)
  return tryWindow(rest).then((result) => {
    if (!result.reason) return result.code
    process.stderr.write('No window: ' + result.reason + '. Going on in the browser.\n')
    return serve(rest)
  })
}

function main() {
  const command = readArguments(process.argv.slice(2))
  if (isTooOld(process.versions.node)) {
    const node = findBundledNode(ROOT, process.platform, process.arch)
    if (!node || process.env.CAIRN_REEXEC === '1') {
      process.stderr.write(
        'Cairn needs Node ' +
          NODE_MAJOR +
          ' or newer, this is ' +
          process.versions.node +
          '. Install it from https://nodejs.org, or run npm ci (it brings one for Linux and Windows).\n',
      )
      process.exitCode = 1
      return
    }
    const env = Object.assign({}, process.env, { CAIRN_REEXEC: '1' })
    runForeground(node, [fileURLToPath(import.meta.url)].concat(process.argv.slice(2)), env).then(exitWith, failWith)
    return
  }
  run(command.mode, command.rest).then(exitWith, failWith)
}

/** Sets the code and lets the process end by itself: output is flushed and a leaked handle stays visible. */
function exitWith(/** @type {number} */ code) {
  process.exitCode = code
}

function failWith(/** @type {unknown} */ error) {
  process.stderr.write((error instanceof Error && error.stack ? error.stack : String(error)) + '\n')
  process.exitCode = 1
}

/** True when this file is the program, false when a test imports it. */
function isProgram() {
  const script = process.argv[1] || ''
  return fs.existsSync(script) && fs.realpathSync(script) === fs.realpathSync(fileURLToPath(import.meta.url))
}

if (isProgram()) main()
