import { beforeEach, describe, expect, it } from 'vitest'
import { awaitForUndo, dropUndo, pushUndo, redoLast, undoLast } from './undo.ts'
import type { UndoStep } from './undo.ts'

describe('undo', () => {
  let log: string[] = []
  const step = (label: string): UndoStep => ({
    label,
    undo: async () => void log.push(`undo ${label}`),
    redo: async () => void log.push(`redo ${label}`),
  })

  beforeEach(async () => {
    while (await undoLast()) {
      // what an earlier test left
    }
    log = []
    pushUndo(step('a'))
    pushUndo(step('b'))
  })

  it('takes steps back in reverse order and does them again in order', async () => {
    await undoLast()
    await undoLast()
    await redoLast()
    expect(log).toEqual(['undo b', 'undo a', 'redo a'])
  })

  it('waits for a change that is not answered yet, whatever becomes of it', async () => {
    const answer = Promise.withResolvers<void>()
    const refused = Promise.reject(new Error('refused'))
    void awaitForUndo(answer.promise.then(() => pushUndo(step('late'))))
    await expect(awaitForUndo(refused)).rejects.toThrow('refused')
    const undone = undoLast()
    answer.resolve()
    expect((await undone)?.label).toBe('late')
  })

  it('forgets what was undone once something new is done', async () => {
    await undoLast()
    pushUndo(step('c'))
    expect(await redoLast()).toBeUndefined()
    expect((await undoLast())?.label).toBe('c')
  })

  it('keeps a step that could not be undone', async () => {
    const broken: UndoStep = {
      label: 'broken',
      undo: async () => Promise.reject(new Error('no')),
      redo: async () => {},
    }
    pushUndo(broken)
    await expect(undoLast()).rejects.toThrow('no')
    await expect(undoLast()).rejects.toThrow('no')
    dropUndo(broken)
    expect((await undoLast())?.label).toBe('b')
  })

  it('runs one step after the other when a key is pressed twice in a row', async () => {
    const slow: UndoStep = {
      label: 'slow',
      undo: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        log.push('undo slow')
      },
      redo: async () => void log.push('redo slow'),
    }
    pushUndo(slow)
    const steps = await Promise.all([undoLast(), undoLast(), redoLast()])
    expect(steps.map((step) => step?.label)).toEqual(['slow', 'b', 'b'])
    expect(log).toEqual(['undo slow', 'undo b', 'redo b'])
  })
})
