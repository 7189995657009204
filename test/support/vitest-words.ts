// Modules of screens ask for texts as soon as they are loaded: the English words come first, as on the page.
import { loadWords } from '../../renderer/lib/strings.ts'

await loadWords()
