// Owns the start of the page: the words of its language first, then the application, whose modules ask for them.
import './app/kit-styles.ts'
import './app/inter.css'
import './app/app.css'
import { markPage } from './lib/language.ts'
import { reloadForLostParts } from './lib/lost-parts.ts'
import { loadWords } from './lib/strings.ts'

reloadForLostParts()

async function start(): Promise<void> {
  const root = document.getElementById('root')
  if (!root) throw new Error('index.html has no element with the id "root".')
  markPage()
  await loadWords()
  const { drawApplication } = await import('./app/draw-application.tsx')
  drawApplication(root)
}

void start()
