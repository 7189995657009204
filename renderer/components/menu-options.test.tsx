// @vitest-environment happy-dom
// Proves where the focus is when the entry of a menu acts, and where a dialog gives it back to.
import { MantineProvider, Menu } from '@mantine/core'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useRef, useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { Dialog } from './dialog.tsx'
import { useMenu } from './menu-options.ts'

let seen: (string | null)[] = []

function Part() {
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)
  const [asking, setAsking] = useState(false)
  const act = (): void => {
    seen.push(document.activeElement?.textContent ?? null)
    setAsking(true)
  }
  return (
    <>
      <Menu {...options}>
        <Menu.Target>
          <button type="button" ref={button}>
            What to do
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={after(act)}>Rename…</Menu.Item>
          <Menu.Item onClick={after(() => document.getElementById('field')?.focus())}>Find</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <input id="field" aria-label="Find" />
      <Dialog opened={asking} onClose={() => setAsking(false)} title="Rename">
        <input aria-label="Name" data-autofocus />
      </Dialog>
    </>
  )
}

const open = async (entry: string): Promise<void> => {
  render(
    <MantineProvider env="test">
      <Part />
    </MantineProvider>,
  )
  const button = screen.getByRole('button', { name: 'What to do' })
  button.focus()
  fireEvent.click(button)
  const item = await screen.findByRole('menuitem', { name: entry })
  await waitFor(() => expect(document.activeElement?.getAttribute('role')).toBe('menuitem'))
  fireEvent.click(item)
}
const focused = (): HTMLElement | null => document.activeElement as HTMLElement | null
/** As long as the kit takes to hand the focus over, and more. */
const handedOver = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60))

afterEach(() => {
  cleanup()
  seen = []
})

it('acts once the menu is gone, with the focus on its button, to which the dialog gives it back', async () => {
  await open('Rename…')
  await waitFor(() => expect(focused()?.getAttribute('aria-label')).toBe('Name'))
  expect(seen).toEqual(['What to do'])
  await handedOver()
  expect(focused()?.getAttribute('aria-label')).toBe('Name')
  fireEvent.keyDown(focused()!, { key: 'Escape' })
  await waitFor(() => expect(focused()?.textContent).toBe('What to do'))
})

it('leaves the focus where the entry led it', async () => {
  await open('Find')
  await waitFor(() => expect(focused()?.id).toBe('field'))
  await handedOver()
  expect(focused()?.id).toBe('field')
})
