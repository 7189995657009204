// A disk that can really be filled: a file system in memory of a few megabytes. Only root on Linux can make one.
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of its own. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly path: string
  /** Takes every byte that is left. */
  fill(): void
  /** Gives back what `fill` has taken. */
  free(): void
  /** Takes the file system away with everything on it. */
  remove(): void
}

/** Mounts one; answers the reason where that cannot be done. */
export function makeSmallDisk(megabytes: number): SmallDisk | string {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux can mount a small disk'
  const path = mkdtempSync(join(tmpdir(), 'cairn-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
  if (mounted.status !== 0) {
    rmSync(path, { recursive: true })
    return `a small disk cannot be mounted here: ${String(mounted.stderr ?? mounted.error)}`
  }
  const filler = join(path, 'filler')
  return {
    path,
    fill() {
      const descriptor = openSync(filler, 'a')
      // Ever smaller parts: a write that finds some room takes it and succeeds in part.
      for (let size = 65_536; size >= 1;) {
        try {
          if (writeSync(descriptor, Buffer.alloc(size, 1)) < size) size >>= 2
        } catch {
          size >>= 2 // no room for a part of this size
        }
      }
      closeSync(descriptor)
    },
    free: () => rmSync(filler, { force: true }),
    remove() {
      spawnSync('umount', ['-l', path])
      rmSync(path, { recursive: true, force: true })
    },
  }
}
