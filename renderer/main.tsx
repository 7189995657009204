// Owns the start of the page: the words of its language first, then the application, whose modules ask for them.
import './app/kit-styles.ts'
import './app/inter.css'
import './app/app.css'
import { markPage } from './lib/language.ts'
import { loadWords } from './lib/strings.ts'

// A newer build replaced the files this page was made of, or the host went away before one of them came: the next screen can
// only come from a fresh page.
window.addEventListener('vite:preloadError', () => {
  const key = 'cairn.reloaded-at'
  const last = Number(window.sessionStorage.getItem(key) ?? '0')
  if (Date.now() - last < 30_000) return
  window.sessionStorage.setItem(key, String(Date.now()))
  void reloadWhenServed()
})

/** Loads the page anew once its host answers: while it starts again there would be none. */
async function reloadWhenServed(): Promise<void> {
  const isServed = async (): Promise<boolean> =>
    fetch(window.location.pathname, { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isServed())) await new Promise((resolve) => setTimeout(resolve, 1_000))
  window.location.reload()
}

async function start(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no element with the id "root".')
  markPage()
  await loadWords()
  const { drawApplication } = await import('./app/draw-application.tsx')
  drawApplication(root)
}

void start()
