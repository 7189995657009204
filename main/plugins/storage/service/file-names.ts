// Names of files: what is kept of a name somebody gave. Pure.
import { normalForm } from '#shared/normal-form.ts'

const maxLength = 255
/** Control characters, and marks that turn the direction of what follows, so that an ending reads as another one. */
const unseen = /[\p{Cc}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}]/gu

/**
 * The last part of a name without what is not seen, at most 255 characters; null when nothing is left. It is shown and told,
 * and never becomes a path.
 */
export function cleanName(given: string): string | null {
  const last = normalForm(given.toWellFormed(), 'NFC').replaceAll(unseen, '').split(/[/\\]/).at(-1)!.trim()
  if (last === '' || /^\.+$/.test(last)) return null
  const points = [...last]
  if (points.length <= maxLength) return last
  const ending = [...(/\.[^.]{1,20}$/.exec(last)?.[0] ?? '')]
  return [...points.slice(0, maxLength - ending.length), ...ending].join('')
}

/** The ending of a name in lower case, without the dot; empty for none. */
export function endingOf(name: string): string {
  return /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}
