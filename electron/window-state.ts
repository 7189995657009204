// Remembers where the window was: a small file in the shell's folder. Knows no window, only rectangles.
import { readFileSync } from 'node:fs'
import type { Rectangle } from 'electron'
import { writeWhole } from './write-whole.ts'

/** What is remembered. */
export interface WindowState extends Partial<Rectangle> {
  readonly width: number
  readonly height: number
  readonly maximized: boolean
  /** Electron's zoom level: 0 is 100 %, each step a fifth more or less. */
  readonly zoom: number
}

/** Size of the first window. */
export const firstWindow: WindowState = { width: 1_280, height: 800, maximized: false, zoom: 0 }

/** Smallest sides a window may have. */
export const smallestWindow = { width: 480, height: 400 } as const

/** Furthest zoom levels, about 30 % to 500 %. */
const zoomLevels = { least: -6, most: 9 } as const

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
  const { x, y, width, height, maximized, zoom } = stored ?? {}
  if (!isInteger(width) || !isInteger(height) || width < smallestWindow.width || height < smallestWindow.height) {
    return firstWindow
  }
  const size = fit({ width, height, maximized: maximized === true, zoom: nearestZoom(zoom) }, screens)
  if (!isInteger(x) || !isInteger(y)) return size
  const reachable = screens.some(
    (screen) =>
      y >= screen.y &&
      y < screen.y + screen.height - graspable &&
      x + size.width >= screen.x + graspable &&
      x <= screen.x + screen.width - graspable,
  )
  return reachable ? { ...size, x, y } : size
}

/** A level that a person can still work with; anything but a number is 100 %. */
export function nearestZoom(level: unknown): number {
  if (typeof level !== 'number' || !Number.isFinite(level)) return firstWindow.zoom
  return Math.min(zoomLevels.most, Math.max(zoomLevels.least, level))
}

/** No wider and no higher than the largest screen of today: the one it was made for may be gone. */
function fit(state: WindowState, screens: readonly Rectangle[]): WindowState {
  if (screens.length === 0) return state
  const most = (side: 'width' | 'height'): number =>
    Math.max(smallestWindow[side], ...screens.map((screen) => screen[side]))
  return {
    ...state,
    width: Math.min(state.width, most('width')),
    height: Math.min(state.height, most('height')),
  }
}

/** Stores the state, whole or not at all. */
export function writeWindowState(file: string, state: WindowState): void {
  writeWhole(file, `${JSON.stringify(state)}\n`)
}
