// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { keepPageFromDrops } from './file-drops.ts'

it('a file that is dropped beside its place does not take the page away, and text goes where it was dropped', () => {
  keepPageFromDrops()
  const drop = (target: Element, types: readonly string[]): boolean => {
    const event = new Event('drop', { bubbles: true, cancelable: true })
    return document.body.appendChild(target).dispatchEvent(Object.assign(event, { dataTransfer: { types } }))
  }
  const chooser = Object.assign(document.createElement('input'), { type: 'file' })
  expect(drop(document.createElement('p'), ['Files'])).toBe(false)
  expect(drop(document.createElement('p'), ['text/plain'])).toBe(true)
  expect(drop(chooser, ['Files'])).toBe(true)
  document.body.replaceChildren()
})
