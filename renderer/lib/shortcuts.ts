// Owns the notation of shortcuts and matching key events with it. Knows no command.
import { isStringKey, t } from './strings.ts'

/** One key press of a shortcut. */
export interface KeyStroke {
  key: string
  mod: boolean
  alt: boolean
  shift: boolean
}

const cache = new Map<string, readonly KeyStroke[]>()

/**
 * Reads a shortcut: key presses separated by spaces, modifiers joined with `+`; `Mod` is Ctrl, or Command on Apple's
 * systems. A key that needs Shift on some keyboards, such as `?`, is written as the character.
 * @throws Error for a text that is not a shortcut
 */
export function parseShortcut(text: string): readonly KeyStroke[] {
  const known = cache.get(text)
  if (known) return known
  const strokes = text.split(' ').map((part) => {
    const words = part.split('+')
    const key = words.at(-1)
    if (!key) throw new Error(`"${text}" is not a shortcut.`)
    const modifiers = new Set(words.slice(0, -1))
    for (const word of modifiers) {
      if (!['Mod', 'Alt', 'Shift'].includes(word)) throw new Error(`"${word}" in "${text}" is no modifier.`)
    }
    return {
      key: key.toLowerCase(),
      mod: modifiers.has('Mod'),
      alt: modifiers.has('Alt'),
      shift: modifiers.has('Shift'),
    }
  })
  cache.set(text, strokes)
  return strokes
}

/** Whether the page runs on one of Apple's systems. */
export const isApple = /Mac|iP(hone|ad|od)/.test(globalThis.navigator?.platform ?? '')

/** Whether a key event is a key press; Shift is ignored for characters that are not letters. */
export function matchesStroke(event: KeyboardEvent, stroke: KeyStroke): boolean {
  if (event.key.toLowerCase() !== stroke.key) return false
  const mod = isApple ? event.metaKey : event.ctrlKey
  const otherMod = isApple ? event.ctrlKey : event.metaKey
  if (mod !== stroke.mod || otherMod || event.altKey !== stroke.alt) return false
  const shiftMatters = stroke.key.length > 1 || /^\p{L}$/u.test(stroke.key)
  return !shiftMatters || event.shiftKey === stroke.shift
}

/** Whether a shortcut begins with a key that types a character. */
export function isSingleKey(shortcut: string): boolean {
  const first = parseShortcut(shortcut)[0]
  return first !== undefined && !first.mod && !first.alt && first.key.length === 1
}

/** The keys of a shortcut as they are printed on the keyboard of who reads them, one list per key press. */
export function shortcutKeys(shortcut: string): readonly (readonly string[])[] {
  return parseShortcut(shortcut).map((stroke) => [
    ...(stroke.mod ? [isApple ? '⌘' : t('key.ctrl')] : []),
    ...(stroke.alt ? [isApple ? '⌥' : 'Alt'] : []),
    ...(stroke.shift ? [isApple ? '⇧' : t('key.shift')] : []),
    keyCap(stroke.key),
  ])
}

const caps: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  escape: 'Esc',
}

function keyCap(key: string): string {
  const name = `key.${key}`
  return caps[key] ?? (isStringKey(name) ? t(name) : undefined) ?? key.charAt(0).toUpperCase() + key.slice(1)
}
