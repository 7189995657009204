import { beforeEach, describe, expect, it } from 'vitest'
import {
  UnknownStepError,
  awaitForUndo,
  defineUndo,
  dropUndo,
  redoLast,
  setUndoLoaders,
  undoLast,
  undoStep,
} from './undo.ts'

describe('undo', () => {
  let log: string[] = []
  const push = defineUndo<{ name: string; times?: number }>('test.plain', {
    undo: async (data) => {
      log.push(`undo ${data.name}`)
      return { data: { ...data, times: (data.times ?? 0) + 1 } }
    },
    redo: async ({ name, times }) => void log.push(`redo ${name} ${times}`),
  })
  const step = (name: string) => push(name, { name })
  const label = async (undone: ReturnType<typeof undoLast>) => (await undone)?.step.label

  beforeEach(async () => {
    while (await undoLast().catch(() => true)) {
      // what an earlier test left
    }
    log = []
    step('a')
    step('b')
  })

  it('does nothing again once something new is being stored', async () => {
    await undoLast()
    const change = awaitForUndo(new Promise((resolve) => setTimeout(resolve, 10)).then(() => step('c')))
    expect(await redoLast()).toBeUndefined()
    await change
    expect(log).toEqual(['undo b'])
  })

  it('takes steps back in reverse order and does them again in order, with the data they left', async () => {
    await undoLast()
    await undoLast()
    await redoLast()
    expect(log).toEqual(['undo b', 'undo a', 'redo a 1'])
  })

  it('waits for a change that is not answered yet, whatever becomes of it', async () => {
    const answer = Promise.withResolvers<void>()
    const refused = Promise.reject(new Error('refused'))
    void awaitForUndo(answer.promise.then(() => step('late')))
    await expect(awaitForUndo(refused)).rejects.toThrow('refused')
    const undone = undoLast()
    answer.resolve()
    expect(await label(undone)).toBe('late')
  })

  it('forgets what was undone once something new is done', async () => {
    await undoLast()
    step('c')
    expect(await redoLast()).toBeUndefined()
    expect(await label(undoLast())).toBe('c')
  })

  it('keeps a step that could not be undone', async () => {
    const broken = defineUndo('test.broken', { undo: async () => Promise.reject(new Error('no')) })('broken', null)
    await expect(undoLast()).rejects.toThrow('no')
    await expect(undoLast()).rejects.toThrow('no')
    dropUndo(broken)
    expect(await label(undoLast())).toBe('b')
  })

  it('takes one step back out of turn, and offers to do it again only when it was the last', async () => {
    const [middle, last] = [step('c'), step('d')]
    expect(await label(undoStep(middle.id))).toBe('c')
    expect(await redoLast()).toBeUndefined()
    expect(await label(undoStep(last.id))).toBe('d')
    expect(await label(redoLast())).toBe('d')
    expect(await undoStep(middle.id)).toBeUndefined()
  })

  it('loads what a kind needs before the first step of it, and gives up steps nobody knows', async () => {
    const orphan = defineUndo('gone.step', { undo: async () => undefined })
    setUndoLoaders({
      late: async () => defineUndo('late.step', { undo: async () => void log.push('undo late') }),
    })
    const known = orphan('x', null)
    Object.assign(known, { kind: 'late.step' })
    expect(await label(undoLast())).toBe('x')
    expect(log).toEqual(['undo late'])
    Object.assign(orphan('y', null), { kind: 'never.step' })
    await expect(undoLast()).rejects.toThrow(UnknownStepError)
    expect(await label(undoLast())).toBe('b')
  })

  it('runs one step after the other when a key is pressed twice in a row', async () => {
    const slow = defineUndo('test.slow', {
      undo: async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        log.push('undo slow')
      },
      redo: async () => void log.push('redo slow'),
    })
    slow('slow', null)
    const steps = await Promise.all([undoLast(), undoLast(), redoLast()])
    expect(steps.map((done) => done?.step.label)).toEqual(['slow', 'b', 'b'])
    expect(log).toEqual(['undo slow', 'undo b', 'redo b 1'])
  })
})
