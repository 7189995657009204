// What was said with whom: every user has their own conversations, and nobody else's.
import { notFound, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { narrowedKey } from '#main/kernel/identity.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import { cutPage, readPage, standardBounds } from '#main/kernel/list-page.ts'
import type { AiOutput } from '../api.ts'
import type { ConversationRow, MessageRow } from '../store.ts'
import * as store from '../store.ts'

/** Most conversations a user keeps, and messages of one that are shown and told to a model. */
const maxConversations = 200
export const shownMessages = 500

/** Conversations of the caller. */
export interface Conversations {
  /** The one that goes on, or null to begin one. @throws resource_not_found */
  find(ctx: RequestContext, id: string | undefined): ConversationRow | null
  messages(conversation: ConversationRow, limit: number): MessageRow[]
  /** Adds a question and its answer. @returns the id of the conversation */
  add(
    ctx: RequestContext,
    conversation: ConversationRow | null,
    said: { readonly question: string; readonly answer: string; readonly object: string | null },
  ): Promise<string>
  list(ctx: RequestContext, page: { limit?: number; cursor?: string }): AiOutput<'listAiConversations'>
  remove(ctx: RequestContext, id: string): Promise<void>
}

/** Whose conversations a caller sees: those of the user; a key that may do less keeps its own, as answers tell records. */
function ownerOf(ctx: RequestContext): string {
  const key = narrowedKey(ctx)
  return key === null ? ctx.actor.id : `${ctx.actor.id} ${key}`
}

/** Makes the conversations. */
export function createConversations(parts: {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
}): Conversations {
  const { read, write, clock, ids } = parts
  const find: Conversations['find'] = (ctx, id) => {
    if (id === undefined) return null
    const found = store.getConversation(read, id.toLowerCase(), ownerOf(ctx))
    if (found === undefined) throw notFound('conversation', id)
    return found
  }
  return {
    find,
    messages: (conversation, limit) => store.listMessages(read, conversation.id, limit),
    async add(ctx, conversation, { question, answer, object }) {
      const at = clock.iso()
      const id = conversation?.id ?? ids.uuid()
      const title = [...question.replace(/\s+/g, ' ').trim()].slice(0, 80).join('')
      await write('ai.conversation', (tx) => {
        store.putConversation(tx, {
          id,
          user_id: ownerOf(ctx),
          title: conversation?.title ?? title,
          object: object ?? conversation?.object ?? null,
          created_at: conversation?.created_at ?? at,
          updated_at: at,
        })
        store.addMessage(tx, id, { role: 'user', content: question, created_at: at })
        store.addMessage(tx, id, { role: 'assistant', content: answer, created_at: at })
        if (conversation === null) store.dropOldConversations(tx, ownerOf(ctx), maxConversations)
      })
      return id
    },
    list(ctx, page) {
      const binding = ['ai', ownerOf(ctx)]
      const start = readPage(page, standardBounds, binding)
      const { limit, after } = start
      const [at, id] = after === null ? [] : after.split(' ')
      if (after !== null && id === undefined)
        throw validationError([
          { field: 'cursor', code: 'invalid_format', message: 'The cursor is not one of this list.' },
        ])
      const rows = store.listConversations(read, ownerOf(ctx), at === undefined ? null : { at, id: id! }, limit + 1)
      const { shown, ...rest } = cutPage(rows, start, (row) => `${row.updated_at} ${row.id}`, binding)
      const conversations = shown.map((row) => ({
        id: row.id,
        title: row.title,
        messageCount: row.messages,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      }))
      return { conversations, ...rest }
    },
    async remove(ctx, id) {
      const isGone = await write('ai.conversation', (tx) =>
        store.removeConversation(tx, id.toLowerCase(), ownerOf(ctx)),
      )
      if (!isGone) throw notFound('conversation', id)
    },
  }
}
