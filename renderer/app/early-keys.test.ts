// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { keepEarlyKeys, takeEarlyKeys } from './early-keys.ts'

const press = (key: string, more: KeyboardEventInit = {}): boolean =>
  window.dispatchEvent(new KeyboardEvent('keydown', { key, cancelable: true, ...more }))

it('what is typed before the palette is there is kept for it, and nothing else is', () => {
  press('x')
  keepEarlyKeys()
  expect([...'se'].map((key) => press(key))).toEqual([false, false])
  expect(press('k', { ctrlKey: true })).toBe(true)
  expect(press('Escape')).toBe(true)
  expect(takeEarlyKeys()).toBe('se')
  expect(press('n')).toBe(true)
  expect(takeEarlyKeys()).toBe('')
})
