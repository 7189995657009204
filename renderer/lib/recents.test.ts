// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { keepPlacesOf, noteOpened, useRecents } from './recents.ts'
import { renderHook } from '@testing-library/react'

const recents = () => renderHook(() => useRecents()).result.current

afterEach(() => {
  keepPlacesOf(undefined)
  window.localStorage.clear()
})

describe('what was opened last', () => {
  it('has a view once, however it was sorted and filtered, as it was left', () => {
    keepPlacesOf('ada')
    noteOpened({ path: '/o/invoice', label: 'Invoices' })
    noteOpened({ path: '/o/invoice?v=board', label: 'Board · Invoices' })
    noteOpened({ path: '/o/invoice?sort=due', label: 'Invoices' })
    noteOpened({ path: '/o/invoice?group=status&sort=due', label: 'Invoices' })
    noteOpened({ path: '/o/invoice?v=board&q=paid', label: 'Board · Invoices' })
    expect(recents().map(({ path }) => path)).toEqual(['/o/invoice?v=board&q=paid', '/o/invoice?group=status&sort=due'])
  })
})
