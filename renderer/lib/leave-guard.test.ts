// @vitest-environment happy-dom
// A table with texts that are not saved is left by nobody without a word.
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useConfirmation } from './confirm.ts'
import { navigate, useHashPath } from './hash-location.ts'
import { useHeldPage, useLeaveGuard } from './leave-guard.ts'

const question = { title: 'Leave?', body: '', confirmLabel: 'Leave', cancelLabel: 'Stay' }

describe('a table that holds texts', () => {
  const mount = () =>
    renderHook(() => ({
      hold: useHeldPage(question, (search) => search === 'v=board'),
      asked: useConfirmation(),
      path: useHashPath()[0],
    })).result

  beforeEach(() => navigate('/o/task', { unasked: true }))
  afterEach(cleanup)

  it('is left only after a question, where they were refused', async () => {
    const screen = mount()
    act(() => screen.current.hold(true, false))
    act(() => navigate('/o/person'))
    await waitFor(() => expect(screen.current.asked).toMatchObject(question))
    expect(screen.current.path).toBe('/o/task')
    act(() => screen.current.asked?.answer(true))
    await waitFor(() => expect(screen.current.path).toBe('/o/person'))
  })

  it('is left without one once they are saved, the open editor left first', async () => {
    const screen = mount()
    const editor = document.body.appendChild(document.createElement('input'))
    editor.addEventListener('blur', () => setTimeout(() => screen.current.hold(false, false), 30))
    editor.focus()
    act(() => screen.current.hold(true, true))
    act(() => navigate('/o/person'))
    expect(screen.current.path).toBe('/o/task')
    await waitFor(() => expect(screen.current.path).toBe('/o/person'))
    expect(screen.current.asked).toBeUndefined()
    editor.remove()
  })

  it('is left for another kind of view of the same records, not for another order of them', async () => {
    const screen = mount()
    act(() => screen.current.hold(true, false))
    act(() => navigate('/o/task?s=title'))
    expect(window.location.hash).toBe('#/o/task?s=title')
    act(() => navigate('/o/task?v=board'))
    await waitFor(() => expect(screen.current.asked).toMatchObject(question))
    expect(window.location.hash).toBe('#/o/task?s=title')
    act(() => screen.current.asked?.answer(true))
    await waitFor(() => expect(window.location.hash).toBe('#/o/task?v=board'))
  })

  it('does not speak for a form over it', async () => {
    const screen = mount()
    renderHook(() => useLeaveGuard({ ...question, title: 'Leave the form?' }))
    act(() => screen.current.hold(true, true))
    act(() => navigate('/o/person'))
    act(() => screen.current.hold(false, false))
    await waitFor(() => expect(screen.current.asked?.title).toBe('Leave the form?'))
    act(() => screen.current.asked?.answer(false))
    expect(screen.current.path).toBe('/o/task')
  })
})
