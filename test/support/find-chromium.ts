// Owns the search for a Chromium that browser tests can drive, and the sentence that says how to get one.
// Knows nothing of vitest: the end-to-end setup and the bench call it alike.
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const NAMES_ON_PATH = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

const SHELLS_ON_PATH = ['chromium-headless-shell', 'chrome-headless-shell']

const FIXED_PLACES: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].map((name) =>
    join(process.env[name] ?? 'C:\\', 'Google', 'Chrome', 'Application', 'chrome.exe'),
  ),
}

/** What the search looks at; every part has a default from this process, so tests can name their own. */
export interface ChromiumSearch {
  env?: NodeJS.ProcessEnv
  home?: string
  platform?: NodeJS.Platform
}

/**
 * Finds a Chromium executable: the variable CHROMIUM, then PATH, then the usual places of the platform, then the
 * folder Playwright downloads into (newest build first). `undefined` means there is none.
 * @throws Error when CHROMIUM is set and names no executable file: a wrong setting is never silently passed over.
 */
export function findChromium(search: ChromiumSearch = {}): string | undefined {
  const env = search.env ?? process.env
  const platform = search.platform ?? process.platform
  const named = env.CHROMIUM
  if (named) {
    if (isExecutable(named)) return named
    throw new Error(`CHROMIUM names ${named}, which is not an executable file`)
  }
  const found = onPath(NAMES_ON_PATH, env, platform)
  if (found) return found
  const fixed = (FIXED_PLACES[platform] ?? []).find(isExecutable)
  return fixed ?? findPlaywrightChromium(env, search.home ?? homedir(), platform)
}

/**
 * Finds a Chromium without windows, which draws the same pages with half of the work, or else one that {@link findChromium}
 * finds. CHROMIUM comes before both.
 * @throws Error when CHROMIUM is set and names no executable file
 */
export function findHeadlessChromium(search: ChromiumSearch = {}): string | undefined {
  const env = search.env ?? process.env
  const shell = env.CHROMIUM ? undefined : onPath(SHELLS_ON_PATH, env, search.platform ?? process.platform)
  return shell ?? findChromium(search)
}

/** Options for `chromium.launch` with a found executable; the sandbox is off for root only, which cannot have one. */
export function chromiumLaunchOptions(executablePath: string): { executablePath: string; args: string[] } {
  return { executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] }
}

/** The command that gets a Chromium on this platform, as one line for people. */
export function chromiumInstallHint(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'linux') return 'sudo apt-get install -y chromium   (or set CHROMIUM to the path of one)'
  return 'npx playwright-core install chromium   (or set CHROMIUM to the path of one)'
}

/**
 * Installs Debian's chromium package when this process may (root, apt-get present); cost: a download of about 100 MB.
 * Returns why it did not, or `undefined` after a success.
 */
export function installChromium(): string | undefined {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) return 'no apt-get on this system'
  if (process.getuid?.() !== 0) return 'not root'
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    const run = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: aptEnvironment() })
    if (run.status !== 0) return `apt-get ${args[0]} failed`
  }
  return undefined
}

function onPath(names: readonly string[], env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  const suffix = platform === 'win32' ? '.exe' : ''
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => folders.map((folder) => join(folder, name + suffix))).find(isExecutable)
}

function aptEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
}

function findPlaywrightChromium(env: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform): string | undefined {
  const cache =
    env.PLAYWRIGHT_BROWSERS_PATH ??
    (platform === 'darwin'
      ? join(home, 'Library', 'Caches', 'ms-playwright')
      : platform === 'win32'
        ? join(env.LOCALAPPDATA ?? home, 'ms-playwright')
        : join(env.XDG_CACHE_HOME ?? join(home, '.cache'), 'ms-playwright'))
  if (!existsSync(cache)) return undefined
  const builds = readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .toSorted((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
  for (const build of builds) {
    for (const folder of readdirSync(join(cache, build))) {
      const tails = ['chrome', 'chrome.exe', 'Chromium.app/Contents/MacOS/Chromium']
      const found = tails.map((tail) => join(cache, build, folder, tail)).find(isExecutable)
      if (found) return found
    }
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
