// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { isSingleKey, matchesStroke, parseShortcut, shortcutKeys } from './shortcuts.ts'

const press = (key: string, init: KeyboardEventInit = {}): KeyboardEvent =>
  new KeyboardEvent('keydown', { key, ...init })
const matches = (shortcut: string, event: KeyboardEvent): boolean => {
  const [stroke] = parseShortcut(shortcut)
  return stroke !== undefined && matchesStroke(event, stroke)
}

describe('shortcuts', () => {
  it('match their modifiers exactly', () => {
    expect(matches('Mod+K', press('k', { ctrlKey: true }))).toBe(true)
    expect(matches('Mod+K', press('k'))).toBe(false)
    expect(matches('Mod+K', press('k', { ctrlKey: true, altKey: true }))).toBe(false)
    expect(matches('Mod+Z', press('Z', { ctrlKey: true, shiftKey: true }))).toBe(false)
    expect(matches('Mod+Shift+Z', press('Z', { ctrlKey: true, shiftKey: true }))).toBe(true)
  })

  it('match a sign however the keyboard types it', () => {
    expect(matches('?', press('?', { shiftKey: true }))).toBe(true)
    expect(matches('?', press('?'))).toBe(true)
  })

  it('know which of them begin with a character', () => {
    expect(['N', '?', 'G O', 'Mod+K', 'F6', 'Alt+N'].map(isSingleKey)).toEqual([true, true, true, false, false, false])
  })

  it('are written as on the keyboard', () => {
    expect(shortcutKeys('Mod+Shift+Z')).toEqual([['Ctrl', 'Shift', 'Z']])
    expect(shortcutKeys('G O')).toEqual([['G'], ['O']])
    expect(shortcutKeys('ArrowUp')).toEqual([['↑']])
    expect(shortcutKeys('Alt+PageDown')).toEqual([['Alt', 'Page down']])
  })

  it('refuse a modifier that does not exist', () => {
    expect(() => parseShortcut('Hyper+K')).toThrow('"Hyper"')
  })
})
