// Owns the twelve select colours: which one an option gets. The colours themselves are in fields.css.

import type { FieldOption } from './field-definition.ts'

/** Number of hues; each is a text-on-tint pair that keeps 4.5:1 in both schemes. */
export const HUE_COUNT = 12

const named: Record<string, number | undefined> = {
  red: 0,
  pink: 11,
  grape: 10,
  purple: 10,
  violet: 9,
  indigo: 8,
  blue: 8,
  cyan: 6,
  teal: 5,
  green: 4,
  lime: 3,
  yellow: 2,
  amber: 2,
  orange: 1,
  brown: 1,
}

/** Class name of an option's hue; `position` decides when the option names no colour. */
export function hueClass(option: FieldOption | undefined, position: number): string {
  const color = option?.color?.trim().toLowerCase()
  if (!color) return `field-hue-${position % HUE_COUNT}`
  const known = Object.hasOwn(named, color) ? named[color] : undefined
  if (known !== undefined) return `field-hue-${known}`
  const hue = hueOfHex(color)
  return hue === null ? 'field-hue-none' : `field-hue-${hue}`
}

function hueOfHex(color: string): number | null {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/.exec(color)
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/.exec(color)
  const parts = short?.slice(1).map((part) => part + part) ?? long?.slice(1)
  if (!parts) return null
  const [red = 0, green = 0, blue = 0] = parts.map((part) => Number.parseInt(part, 16))
  const high = Math.max(red, green, blue)
  const spread = high - Math.min(red, green, blue)
  if (spread < 24) return null
  const sector =
    high === red ? (green - blue) / spread : high === green ? 2 + (blue - red) / spread : 4 + (red - green) / spread
  return Math.round(((sector * 60 + 360) % 360) / (360 / HUE_COUNT)) % HUE_COUNT
}
