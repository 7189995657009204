// Owns how the application is put on the page. A module of its own, since words are loaded before any of it is.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from '../lib/query-client.ts'
import { takeCodeFromAddress } from '../lib/session.ts'
import { App } from './app.tsx'

/** Takes the one-time code out of the address and draws the application into `root`. */
export function drawApplication(root: HTMLElement): void {
  createRoot(root).render(
    <StrictMode>
      <App queryClient={createQueryClient()} code={takeCodeFromAddress()} />
    </StrictMode>,
  )
}
