// @vitest-environment happy-dom
// Every write that meets a conflict gets an answer: an undo waits for all of them.
import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { useConflictQuestion } from './use-conflict-question.ts'

const conflict = (field: string) => ({ field, base: 'a', mine: 'b', theirs: 'c' })

afterEach(cleanup)

describe('a question about a value that was changed elsewhere', () => {
  it('waits for the one before it', async () => {
    const { result } = renderHook(() => useConflictQuestion())
    let answers: Promise<string>[] = []
    act(() => {
      answers = ['one', 'two'].map(async (field) => result.current.ask(conflict(field)))
    })
    expect(result.current.conflict?.field).toBe('one')
    act(() => result.current.conflict?.answer('mine'))
    expect(result.current.conflict?.field).toBe('two')
    act(() => result.current.conflict?.answer('theirs'))
    expect(result.current.conflict).toBeUndefined()
    expect(await Promise.all(answers)).toEqual(['mine', 'theirs'])
  })

  it('is answered with later when the screen goes, and when it is gone', async () => {
    const { result, unmount } = renderHook(() => useConflictQuestion())
    let answer: Promise<string> | undefined
    act(() => {
      answer = result.current.ask(conflict('one'))
    })
    unmount()
    const none = new Promise((resolve) => setTimeout(resolve, 100, 'none'))
    expect(await Promise.race([answer, none])).toBe('later')
    expect(await Promise.race([result.current.ask(conflict('two')), none])).toBe('later')
  })
})
