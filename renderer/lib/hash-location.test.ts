// @vitest-environment happy-dom
// The address of a screen that is being left while it holds unsaved work, by every way there is.
import { cleanup, renderHook, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { guardLocation, navigate, useHashPath } from './hash-location.ts'

describe('a guarded address', () => {
  let free = (): void => undefined
  const shownPath = () => {
    const { result } = renderHook(() => useHashPath()[0])
    return () => result.current
  }
  /** What a link of the page does. */
  const follow = (hash: string): void => {
    window.history.pushState(null, '', hash)
    window.dispatchEvent(new PopStateEvent('popstate'))
    window.dispatchEvent(new Event('hashchange'))
  }
  const guard = (answer: boolean) => {
    const ask = vi.fn(async () => answer)
    free = guardLocation(ask)
    return ask
  }

  beforeEach(() => navigate('/objects/task', { unasked: true }))
  afterEach(() => {
    free()
    cleanup()
    window.history.replaceState(null, '', '#/')
  })

  it('stays on screen until it may be left, asked once', async () => {
    const path = shownPath()
    const ask = guard(true)
    follow('#/o/task')
    expect(path()).toBe('/objects/task')
    await waitFor(() => expect(path()).toBe('/o/task'))
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('comes back to the address bar when it may not be left', async () => {
    const path = shownPath()
    const back = vi.spyOn(window.history, 'go').mockImplementation(() => undefined)
    guard(false)
    follow('#/o/task')
    await waitFor(() => expect(back).toHaveBeenCalledWith(-1))
    expect(path()).toBe('/objects/task')
    back.mockRestore()
  })

  it('is not even changed by a command that is answered with no', async () => {
    const path = shownPath()
    const ask = guard(false)
    navigate('/imports')
    await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
    expect(window.location.hash).toBe('#/objects/task')
    expect(path()).toBe('/objects/task')
  })

  it('is left without a question when only its search changes, or the work is gone', async () => {
    const path = shownPath()
    const ask = guard(false)
    navigate('/objects/task?tab=rules')
    navigate('/objects', { unasked: true })
    await waitFor(() => expect(path()).toBe('/objects'))
    expect(ask).not.toHaveBeenCalled()
  })
})
