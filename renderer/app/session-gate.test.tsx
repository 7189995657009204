// @vitest-environment happy-dom
// What is typed outlives the session and the host: it is there again for whoever typed it, and for nobody else.
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { call } from '../lib/api-client.ts'
import { reportAnswered } from '../lib/host-status.ts'
import { useMe } from '../lib/me.ts'
import { createQueryClient } from '../lib/query-client.ts'
import { SessionGate } from './session-gate.tsx'

let person: string | undefined
let isAway: boolean
/** What is not answered although the host is there. */
let broken: RegExp | undefined

beforeEach(async () => {
  person = 'ada'
  isAway = false
  broken = undefined
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async (address: string) => {
    if (isAway || broken?.test(address)) throw new TypeError('no connection')
    const isKnown = /get-session|meta\/object/.test(address)
    if (!isKnown || person === undefined) {
      const error = { code: isKnown ? 'session_expired' : 'resource_not_found' }
      return Response.json({ success: false, error }, { status: isKnown ? 401 : 404 })
    }
    const me = { user: { id: person, name: person }, session: {} }
    return Response.json(address.includes('get-session') ? me : { type: 'object', items: [] })
  })
  open()
  fireEvent.change(await screen.findByLabelText('Text of ada'), { target: { value: 'half a letter' } })
})
afterEach(() => {
  cleanup()
  reportAnswered()
  vi.unstubAllGlobals()
})

const open = (): void => {
  render(
    <MantineProvider>
      <QueryClientProvider client={createQueryClient()}>
        <SessionGate code={undefined}>
          <Form />
        </SessionGate>
      </QueryClientProvider>
    </MantineProvider>,
  )
}

function Form() {
  const me = useMe()
  return <input aria-label={`Text of ${me?.user.id}`} />
}

const typed = (): string | undefined => screen.queryByRole<HTMLInputElement>('textbox', { name: /^Text of/ })?.value

/** Any request of a screen. */
const ask = async (): Promise<void> => {
  await act(async () => call('listMetadataItems', { params: { type: 'object' } }).catch(() => undefined))
}
const back = async (): Promise<void> => act(async () => reportAnswered())

describe('what is typed', () => {
  const endSession = async (): Promise<void> => {
    person = undefined
    await ask()
    await waitFor(() => expect(typed()).toBeUndefined())
    isAway = true
    await ask()
    isAway = false
  }

  it('is there again once the same person is back', async () => {
    await endSession()
    person = 'ada'
    await back()
    await waitFor(() => expect(typed()).toBe('half a letter'))
  })

  it('waits where nobody can say who is back', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    await endSession()
    person = 'ada'
    broken = /get-session/
    await back()
    await screen.findByRole('button', { name: /again|retry/i })
    broken = undefined
    await back()
    await waitFor(() => expect(typed()).toBe('half a letter'))
    expect(reload).not.toHaveBeenCalled()
    reload.mockRestore()
  })

  it('goes with the page when somebody else comes', async () => {
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    await endSession()
    person = 'bob'
    await back()
    await waitFor(() => expect(reload).toHaveBeenCalledOnce())
    expect(typed()).toBeUndefined()
  })

  it('stays while the host comes and goes', async () => {
    isAway = true
    await ask()
    await back()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(typed()).toBe('half a letter')
  })
})

it('says that the host does not answer until it does, also while it is asked again', async () => {
  cleanup()
  isAway = true
  open()
  await screen.findByRole('heading', { name: 'Cairn does not answer' })
  vi.stubGlobal('fetch', () => new Promise(() => undefined))
  await back()
  expect(screen.queryByRole('heading', { name: 'Cairn does not answer' })).not.toBeNull()
})
