// Checks words by the languages of the system, and offers better ones where a word is clicked.
import { Menu, app } from 'electron'
import type { MenuItemConstructorOptions, Session, WebContents } from 'electron'
import type { ShellWords } from './words.ts'

/** The languages of the person that there are dictionaries of, in their order: the language itself, else a region of it. */
export function spellingLanguages(preferred: readonly string[], available: readonly string[]): string[] {
  const found = preferred.flatMap((language) => {
    const base = language.split('-')[0] ?? language
    return (
      [language, base].find((name) => available.includes(name)) ??
      available.find((name) => name.startsWith(`${base}-`)) ??
      []
    )
  })
  return [...new Set(found)]
}

/** Switches the checking of words on or off. Only macOS brings dictionaries; elsewhere switching on loads them. */
export function checkSpelling(session: Session, isOn: boolean): void {
  session.setSpellCheckerEnabled(isOn)
  // macOS finds the language by itself and refuses to be told.
  if (!isOn || process.platform === 'darwin') return
  session.setSpellCheckerLanguages(
    spellingLanguages(app.getPreferredSystemLanguages(), session.availableSpellCheckerLanguages),
  )
}

/** The menu of a click with the other button in a text field; nothing elsewhere, the screens have menus of their own. */
export function offerWords(contents: WebContents, wordsNow: () => ShellWords): void {
  contents.on('context-menu', (_event, { isEditable, misspelledWord, dictionarySuggestions }) => {
    if (!isEditable) return
    const said = wordsNow()
    const words: MenuItemConstructorOptions[] = dictionarySuggestions.map((word) => ({
      label: word,
      click: () => {
        contents.replaceMisspelling(word)
      },
    }))
    if (misspelledWord !== '') {
      words.push({
        label: said.addToDictionary,
        click: () => {
          contents.session.addWordToSpellCheckerDictionary(misspelledWord)
        },
      })
    }
    const edit: MenuItemConstructorOptions[] = (['cut', 'copy', 'paste'] as const).map((role) => ({
      role,
      label: said[role],
    }))
    Menu.buildFromTemplate(words.length === 0 ? edit : [...words, { type: 'separator' }, ...edit]).popup()
  })
}
