// Owns the cursors of others inside of the editor: where they are, whose they are, in a colour of their own; and telling
// the others where the own one is. Colours are classes, because the page allows no styles in attributes.
import { RangeSetBuilder, StateEffect } from '@codemirror/state'
import type { Extension } from '@codemirror/state'
import { Decoration, ViewPlugin, WidgetType } from '@codemirror/view'
import type { DecorationSet, EditorView, PluginValue, ViewUpdate } from '@codemirror/view'
import type { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import classes from './live-text.module.css'

/** Somebody else in the text. */
export interface OtherEditor {
  readonly clientId: number
  readonly userId: string
  readonly name: string
}

interface OtherCursor extends OtherEditor {
  readonly anchor: number
  readonly head: number
}

const hues = 6
const moved = StateEffect.define<null>()

/** Who else is in the text, each person once. */
export function otherEditors(awareness: Awareness): OtherEditor[] {
  const byUser = new Map<string, OtherEditor>()
  for (const [clientId, state] of awareness.getStates()) {
    const user = (state as { user?: { id?: unknown; name?: unknown } }).user
    if (clientId === awareness.clientID || typeof user?.id !== 'string' || typeof user.name !== 'string') continue
    byUser.set(user.id, { clientId, userId: user.id, name: user.name })
  }
  return [...byUser.values()]
}

/** Shows the cursors of others and tells the own one. */
export function remoteCursors(text: Y.Text, awareness: Awareness): Extension {
  class Cursors implements PluginValue {
    decorations: DecorationSet = Decoration.none
    private readonly heard: (change: { added: number[]; updated: number[]; removed: number[] }) => void

    constructor(view: EditorView) {
      this.heard = ({ added, updated, removed }) => {
        if ([...added, ...updated, ...removed].some((id) => id !== awareness.clientID))
          view.dispatch({ effects: moved.of(null) })
      }
      awareness.on('change', this.heard)
      this.decorations = draw(view, cursorsOf(text, awareness))
    }

    update(update: ViewUpdate): void {
      if (update.selectionSet || update.docChanged || update.focusChanged) tellOwn(update.view, text, awareness)
      const isMoved = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(moved)))
      if (isMoved || update.docChanged) this.decorations = draw(update.view, cursorsOf(text, awareness))
    }

    destroy(): void {
      awareness.off('change', this.heard)
      awareness.setLocalStateField('cursor', null)
    }
  }
  return ViewPlugin.fromClass(Cursors, { decorations: (cursors) => cursors.decorations })
}

function tellOwn(view: EditorView, text: Y.Text, awareness: Awareness): void {
  const { main } = view.state.selection
  const place = (at: number): unknown => Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, at))
  const cursor = view.hasFocus ? { anchor: place(main.anchor), head: place(main.head) } : null
  const before: unknown = awareness.getLocalState()?.['cursor'] ?? null
  if (JSON.stringify(before) !== JSON.stringify(cursor)) awareness.setLocalStateField('cursor', cursor)
}

function cursorsOf(text: Y.Text, awareness: Awareness): OtherCursor[] {
  const found: OtherCursor[] = []
  for (const [clientId, state] of awareness.getStates()) {
    if (clientId === awareness.clientID) continue
    const { cursor, user } = state as {
      cursor?: { anchor?: unknown; head?: unknown }
      user?: Partial<OtherEditor> & { id?: string }
    }
    const [anchor, head] = [placeOf(text, cursor?.anchor), placeOf(text, cursor?.head)]
    if (anchor === undefined || head === undefined) continue
    found.push({ clientId, userId: user?.id ?? '', name: user?.name ?? '', anchor, head })
  }
  return found
}

/** What others send is read without trust: anything that is no place in this text is no cursor. */
function placeOf(text: Y.Text, json: unknown): number | undefined {
  if (typeof json !== 'object' || json === null || !text.doc) return undefined
  try {
    const place = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(json), text.doc)
    return place?.type === text ? place.index : undefined
  } catch {
    return undefined
  }
}

function draw(view: EditorView, cursors: readonly OtherCursor[]): DecorationSet {
  const { length } = view.state.doc
  const within = (at: number): number => Math.min(at, length)
  const ranges = cursors.flatMap(({ userId, name, anchor, head }) => {
    const hue = hueOf(userId)
    const [from, to] = [within(Math.min(anchor, head)), within(Math.max(anchor, head))]
    const mark = Decoration.mark({ class: classes.selection, attributes: { 'data-hue': String(hue) } })
    const caret = Decoration.widget({ widget: new Caret(name, hue), side: head > anchor ? -1 : 1 })
    const at = within(head)
    return [...(from < to ? [mark.range(from, to)] : []), caret.range(at)]
  })
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to, value } of ranges.toSorted((a, b) => a.from - b.from || a.value.startSide - b.value.startSide))
    builder.add(from, to, value)
  return builder.finish()
}

class Caret extends WidgetType {
  private readonly name: string
  private readonly hue: number

  constructor(name: string, hue: number) {
    super()
    this.name = name
    this.hue = hue
  }

  override eq(other: Caret): boolean {
    return other.name === this.name && other.hue === this.hue
  }

  toDOM(): HTMLElement {
    const caret = document.createElement('span')
    caret.className = classes.caret!
    caret.dataset['hue'] = String(this.hue)
    // Readers are told who is here beside the text; inside of it names would be read as words of it.
    caret.setAttribute('aria-hidden', 'true')
    const label = document.createElement('span')
    label.className = classes.caretName!
    label.textContent = this.name
    caret.append(label)
    return caret
  }
}

function hueOf(userId: string): number {
  let sum = 0
  for (const sign of userId) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9973
  return sum % hues
}
