// Remembers where the window was: a small file in the shell's folder. Knows no window, only rectangles.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Rectangle } from 'electron'

/** What is remembered. */
export interface WindowState extends Partial<Rectangle> {
  readonly width: number
  readonly height: number
  readonly maximized: boolean
}

/** Size of the first window. */
export const firstWindow: WindowState = { width: 1_280, height: 800, maximized: false }

/** Smallest sides a window may have. */
export const smallestWindow = { width: 480, height: 400 } as const

/** Pixels of a window's top edge that must lie on a screen for a person to be able to move it. */
const graspable = 120

const isInteger = (value: unknown): value is number => Number.isInteger(value)

/**
 * Reads the remembered state; a missing or broken file, and a place on no screen of today, give the first size.
 * @param screens work areas of the present displays
 */
export function readWindowState(file: string, screens: readonly Rectangle[]): WindowState {
  let stored: Record<string, unknown>
  try {
    stored = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  } catch {
    return firstWindow // never stored, or cut short
  }
  const { x, y, width, height, maximized } = stored ?? {}
  if (!isInteger(width) || !isInteger(height) || width < smallestWindow.width || height < smallestWindow.height) {
    return firstWindow
  }
  const size = { width, height, maximized: maximized === true }
  if (!isInteger(x) || !isInteger(y)) return size
  const reachable = screens.some(
    (screen) =>
      y >= screen.y &&
      y < screen.y + screen.height - graspable &&
      x + width >= screen.x + graspable &&
      x <= screen.x + screen.width - graspable,
  )
  return reachable ? { ...size, x, y } : size
}

/** Stores the state, whole or not at all. */
export function writeWindowState(file: string, state: WindowState): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.next`
  writeFileSync(next, `${JSON.stringify(state)}\n`, { mode: 0o600 })
  renameSync(next, file)
}
