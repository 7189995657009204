// Owns what the text editor can do: keys, Markdown, undo of the own edits alone, the length it may have. Knows no host.
import { defaultKeymap } from '@codemirror/commands'
// The language alone: its usual companion brings parsers of HTML, CSS and JavaScript with it.
import { markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown'
import { HighlightStyle, defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Compartment, EditorState } from '@codemirror/state'
import type { Extension, TransactionSpec } from '@codemirror/state'
import { EditorView, drawSelection, keymap, placeholder } from '@codemirror/view'
import { yCollab, yUndoManagerKeymap } from 'y-codemirror.next'
import type { LiveSession } from './live-document.ts'
import { remoteCursors } from './remote-cursors.ts'

/** Characters one paste may bring: more would be refused by the host. */
const maxPaste = 250_000

/** Weight and slant of the usual style; its colours are made for a light page alone. */
const marks = HighlightStyle.define(
  defaultHighlightStyle.specs.flatMap(({ tag, fontWeight, fontStyle, color }) =>
    color === undefined && (fontWeight ?? fontStyle) !== undefined ? [{ tag, fontWeight, fontStyle }] : [],
  ),
)

/** What may change while an editor is open. */
export interface EditorStanding {
  readonly isReadOnly: boolean
  readonly isInvalid: boolean
}

const standing = new Compartment()

/** What an editor is made of. */
export interface EditorOptions {
  readonly session: LiveSession
  readonly type: string
  readonly label: string
  readonly describedBy: string
  readonly placeholder: string | undefined
  readonly maxLength: number
  readonly standing: EditorStanding
  /** Escape, and what keeps text in other editors. */
  onLeave(): void
  /** More was pasted, or typed, than there is place for. */
  onFull(): void
}

/** The extensions of an editor. */
export function editorExtensions(options: EditorOptions): Extension[] {
  const { session, type } = options
  const leave = (): boolean => {
    options.onLeave()
    return true
  }
  return [
    // Tab is not bound: it leads on to what comes next.
    keymap.of([
      { key: 'Escape', run: leave },
      { key: 'Mod-Enter', run: leave },
      ...(type === 'markdown' ? markdownKeymap : []),
      ...yUndoManagerKeymap,
      ...defaultKeymap.filter(({ key }) => key !== 'Mod-Enter' && key !== 'Escape'),
    ]),
    ...(type === 'markdown' ? [markdownLanguage.extension, syntaxHighlighting(marks)] : []),
    drawSelection(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': options.label,
      'aria-describedby': options.describedBy,
      'aria-multiline': 'true',
      spellcheck: String(type !== 'code'),
    }),
    standing.of(standingOf(options.standing)),
    EditorView.theme({
      '.cm-cursor': { borderLeftColor: 'var(--cairn-text)' },
      '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
        background: 'var(--cairn-selected)',
      },
      '.cm-placeholder': { color: 'var(--cairn-text-quiet)' },
    }),
    ...(options.placeholder === undefined ? [] : [placeholder(options.placeholder)]),
    EditorState.changeFilter.of((transaction) => {
      if (!transaction.isUserEvent('input')) return true
      const { length } = transaction.newDoc
      const added = length - transaction.startState.doc.length
      if (added <= 0 || (length <= options.maxLength && added <= maxPaste)) return true
      options.onFull()
      return false
    }),
    yCollab(session.text, null, { undoManager: session.undo }),
    remoteCursors(session.text, session.awareness),
  ]
}

/** Changes an open editor. */
export const standingChange = (now: EditorStanding): TransactionSpec => ({
  effects: standing.reconfigure(standingOf(now)),
})

function standingOf({ isReadOnly, isInvalid }: EditorStanding): Extension[] {
  return [
    EditorState.readOnly.of(isReadOnly),
    ...(isInvalid ? [EditorView.contentAttributes.of({ 'aria-invalid': 'true' })] : []),
  ]
}
