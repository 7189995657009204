// Owns the start of the page: takes the one-time code out of the address and draws the application.
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app/app.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { createQueryClient } from './lib/query-client.ts'
import { takeCodeFromAddress } from './lib/session.ts'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id "root".')

createRoot(root).render(
  <StrictMode>
    <App queryClient={createQueryClient()} code={takeCodeFromAddress()} />
  </StrictMode>,
)
