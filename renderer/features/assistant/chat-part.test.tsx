// @vitest-environment happy-dom
// An answer that breaks off takes nothing of what was typed with it.
import { MantineProvider } from '@mantine/core'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { ChatPart } from './chat-part.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('a question whose answer is cut is there again, before the next one', async () => {
  let cut = (): void => undefined
  // The edge of the machine: what the host answers.
  vi.stubGlobal('fetch', async () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('event: delta\ndata: {"text":"Half an"}\n\n'))
        cut = () => controller.close()
      },
    })
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } })
  })
  // The kit measures texts again once fonts are there; this page has none.
  Object.assign(document, { fonts: new EventTarget() })
  render(
    <MantineProvider env="test">
      <ChatPart />
    </MantineProvider>,
  )
  const field = screen.getByRole<HTMLTextAreaElement>('textbox')
  fireEvent.change(field, { target: { value: 'Which ones?' } })
  fireEvent.keyDown(field, { key: 'Enter', ctrlKey: true })
  await screen.findByText('Half an')
  fireEvent.change(field, { target: { value: 'And why?' } })
  cut()
  await waitFor(() => expect(screen.getByRole('alert')).toBeTruthy())
  expect(field.value).toBe('Which ones?\nAnd why?')
})
