// Owns how the application is put on the page. A module of its own, since words are loaded before any of it is.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from '../lib/query-client.ts'
import { takeCodeFromAddress } from '../lib/session.ts'
import { App } from './app.tsx'
import { keepPageFromDrops } from './file-drops.ts'

/** Has the screen of an address fetched while the application finds out who asks. */
function fetchScreen(hash: string): void {
  if (/^#\/o\/[^/?]+(\?|$)/.test(hash)) void import('../features/records/records-screen.tsx')
}

/** Takes the one-time code out of the address and draws the application into `root`. */
export function drawApplication(root: HTMLElement): void {
  fetchScreen(window.location.hash)
  keepPageFromDrops()
  createRoot(root).render(
    <StrictMode>
      <App queryClient={createQueryClient()} code={takeCodeFromAddress()} />
    </StrictMode>,
  )
}
