// Owns the start of the page: takes the one-time code out of the address and draws the application.
import './app/kit-styles.ts'
import './app/app.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { markPage } from './lib/language.ts'
import { createQueryClient } from './lib/query-client.ts'
import { takeCodeFromAddress } from './lib/session.ts'

// A newer build replaced the files this page was made of: the next screen can only come from a fresh page.
window.addEventListener('vite:preloadError', () => {
  const key = 'cairn.reloaded-at'
  const last = Number(window.sessionStorage.getItem(key) ?? '0')
  if (Date.now() - last < 30_000) return
  window.sessionStorage.setItem(key, String(Date.now()))
  window.location.reload()
})

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with the id "root".')

markPage()
createRoot(root).render(
  <StrictMode>
    <App queryClient={createQueryClient()} code={takeCodeFromAddress()} />
  </StrictMode>,
)
