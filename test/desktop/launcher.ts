// The launcher's own functions for tests: what it builds and where it finds Electron, so that both agree.
import { fileURLToPath } from 'node:url'

interface Launcher {
  buildStale(root: string, targets: readonly string[]): string
  findElectron(root: string): string
}

/** The folder of the program. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

// Plain JavaScript without declarations, so it is named in a way the compiler does not follow.
const launcher = (await import(new URL('../../build/launch.mjs', import.meta.url).href)) as Launcher

/** Builds what is stale of screens, host and preload. @throws Error with the reason when a build fails */
export function buildApp(): void {
  const failure = launcher.buildStale(root, ['renderer', 'host', 'preload'])
  if (failure !== '') throw new Error(failure)
}

/** Path of a fetched Electron binary, or ''. */
export function findElectron(): string {
  return launcher.findElectron(root)
}
