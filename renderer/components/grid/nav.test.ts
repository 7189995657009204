// Proves the keyboard map, key by key, and that movements stay inside.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commandForEditorKey, commandForKey, movePosition, tabPosition } from './nav.ts'
import type { GridMove } from './nav.ts'
import { HEADER_ROW } from './selection.ts'

describe('commandForKey', () => {
  it.each([
    ['ArrowDown', {}, { kind: 'move', move: 'rowBelow', extend: false }],
    ['ArrowUp', { shiftKey: true }, { kind: 'move', move: 'rowAbove', extend: true }],
    ['ArrowRight', { ctrlKey: true }, { kind: 'move', move: 'lastColumn', extend: false }],
    ['ArrowRight', { metaKey: true, shiftKey: true }, { kind: 'move', move: 'lastColumn', extend: true }],
    ['Home', {}, { kind: 'move', move: 'firstColumn', extend: false }],
    ['End', { ctrlKey: true }, { kind: 'move', move: 'gridEnd', extend: false }],
    ['PageDown', {}, { kind: 'move', move: 'pageBelow', extend: false }],
    ['Enter', {}, { kind: 'edit' }],
    ['F2', {}, { kind: 'edit' }],
    ['Enter', { shiftKey: true }, { kind: 'insertBelow' }],
    ['Enter', { altKey: true }, { kind: 'menu' }],
    [' ', {}, { kind: 'open' }],
    [' ', { shiftKey: true }, { kind: 'toggleRow' }],
    ['Delete', {}, { kind: 'clear' }],
    ['d', { ctrlKey: true }, { kind: 'fillDown' }],
    ['a', { ctrlKey: true }, { kind: 'selectAll' }],
    ['Escape', {}, { kind: 'escape' }],
    ['ArrowRight', { altKey: true, shiftKey: true }, { kind: 'resize', step: 16 }],
    ['ArrowLeft', { altKey: true }, { kind: 'moveColumn', step: -1 }],
    ['x', {}, { kind: 'type' }],
    ['Ж', {}, { kind: 'type' }],
    ['😀', {}, { kind: 'type' }],
    ['Process', {}, { kind: 'type' }],
  ])('maps %s with %o', (key, modifiers, command) => {
    expect(commandForKey({ key, ...modifiers })).toEqual(command)
  })

  it.each([
    ['k', { ctrlKey: true }],
    ['z', { ctrlKey: true }],
    ['c', { ctrlKey: true }],
    ['v', { metaKey: true }],
    ['f', { ctrlKey: true }],
    ['F6', {}],
    ['Shift', {}],
    ['Control', {}],
    ['CapsLock', {}],
    ['ArrowUp', { altKey: true }],
  ])('leaves %s with %o to the application and the browser', (key, modifiers) => {
    expect(commandForKey({ key, ...modifiers })).toBeNull()
  })

  it('lets Tab leave the grid unless cells are being filled in', () => {
    expect(commandForKey({ key: 'Tab' })).toBeNull()
    expect(commandForKey({ key: 'Tab' }, { entry: true })).toEqual({ kind: 'tab', back: false })
    expect(commandForKey({ key: 'Tab', shiftKey: true }, { entry: true })).toEqual({ kind: 'tab', back: true })
  })

  it('mirrors left and right when the text runs from right to left', () => {
    expect(commandForKey({ key: 'ArrowLeft' }, { rtl: true })).toMatchObject({ move: 'columnAfter' })
    expect(commandForKey({ key: 'ArrowRight' }, { rtl: true })).toMatchObject({ move: 'columnBefore' })
    expect(commandForKey({ key: 'ArrowRight', altKey: true, shiftKey: true }, { rtl: true })).toMatchObject({
      step: -16,
    })
  })

  it('never throws and answers null or a command for any key', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', 'toString')),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (key, ctrlKey, shiftKey, altKey) => {
          const command = commandForKey({ key, ctrlKey, shiftKey, altKey })
          expect(command === null || typeof command.kind === 'string').toBe(true)
        },
      ),
    )
  })
})

describe('commandForEditorKey', () => {
  it('commits with Enter and Tab, cancels with Escape and leaves the rest to the editor', () => {
    expect(commandForEditorKey({ key: 'Enter' })).toEqual({ kind: 'commit', move: 'rowBelow' })
    expect(commandForEditorKey({ key: 'Enter', shiftKey: true })).toEqual({ kind: 'commit', move: 'rowAbove' })
    expect(commandForEditorKey({ key: 'Tab' })).toEqual({ kind: 'commit', move: 'tab' })
    expect(commandForEditorKey({ key: 'Tab', shiftKey: true })).toEqual({ kind: 'commit', move: 'tabBack' })
    expect(commandForEditorKey({ key: 'Escape' })).toEqual({ kind: 'cancel' })
    expect(commandForEditorKey({ key: 'Enter', altKey: true })).toBeNull()
    expect(commandForEditorKey({ key: 'a' })).toBeNull()
  })

  it('leaves Enter and Escape to an input method that is composing', () => {
    expect(commandForEditorKey({ key: 'Enter', isComposing: true })).toBeNull()
    expect(commandForEditorKey({ key: 'Escape', isComposing: true })).toBeNull()
  })
})

describe('movePosition', () => {
  const moves: GridMove[] = [
    'rowAbove',
    'rowBelow',
    'columnBefore',
    'columnAfter',
    'firstRow',
    'lastRow',
    'firstColumn',
    'lastColumn',
    'pageAbove',
    'pageBelow',
    'gridStart',
    'gridEnd',
  ]

  it('stays inside the grid for any sequence of movements', () => {
    fc.assert(
      fc.property(
        fc.nat(50),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(30),
        fc.array(fc.constantFrom(...moves)),
        (rowCount, columnCount, pageRows, path) => {
          const bounds = { rowCount, columnCount, pageRows }
          let at = { row: rowCount > 0 ? 0 : HEADER_ROW, column: 0 }
          for (const move of path) {
            at = movePosition(at, move, bounds)
            expect(at.row >= HEADER_ROW && at.row < Math.max(rowCount, 0)).toBe(true)
            expect(at.column >= 0 && at.column < columnCount).toBe(true)
          }
        },
      ),
    )
  })

  it('reaches the header only one step above the first row', () => {
    const bounds = { rowCount: 100, columnCount: 5, pageRows: 20 }
    expect(movePosition({ row: 0, column: 2 }, 'rowAbove', bounds)).toEqual({ row: HEADER_ROW, column: 2 })
    expect(movePosition({ row: 5, column: 2 }, 'pageAbove', bounds)).toEqual({ row: 0, column: 2 })
    expect(movePosition({ row: 5, column: 2 }, 'firstRow', bounds)).toEqual({ row: 0, column: 2 })
    expect(movePosition({ row: HEADER_ROW, column: 2 }, 'rowBelow', bounds)).toEqual({ row: 0, column: 2 })
  })
})

describe('tabPosition', () => {
  it('visits every cell once in reading order and then leaves', () => {
    const bounds = { rowCount: 3, columnCount: 4 }
    let at: { row: number; column: number } | null = { row: 0, column: 0 }
    const seen: string[] = []
    while (at) {
      seen.push(`${at.row}:${at.column}`)
      at = tabPosition(at, false, bounds)
    }
    expect(seen).toHaveLength(12)
    expect(new Set(seen).size).toBe(12)
    expect(tabPosition({ row: 0, column: 0 }, true, bounds)).toBeNull()
    expect(tabPosition({ row: 1, column: 0 }, true, bounds)).toEqual({ row: 0, column: 3 })
  })
})
