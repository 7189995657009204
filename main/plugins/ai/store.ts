// The tables of providers and conversations. SQL only.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'

/** The provider as it is stored; `api_key` is sealed. */
export interface ConfigRow {
  readonly provider: 'embedded' | 'openai_compatible'
  readonly base_url: string | null
  readonly model: string | null
  readonly api_key: string | null
  readonly timeout_ms: number
}

/** A conversation as it is stored; `object` is the one that was spoken of last. */
export interface ConversationRow {
  readonly id: string
  readonly user_id: string
  readonly title: string
  readonly object: string | null
  readonly created_at: string
  readonly updated_at: string
}

/** What was said once. */
export interface MessageRow {
  readonly role: 'user' | 'assistant'
  readonly content: string
  readonly created_at: string
}

/** The provider; undefined while nobody has chosen one. */
export function getConfig(read: Pick<Reads, 'get'>): ConfigRow | undefined {
  const sql = 'SELECT provider, base_url, model, api_key, timeout_ms FROM ai_config WHERE id = 1'
  return read.get(statement<ConfigRow>(sql))
}

/** Stores the provider. */
export function putConfig(tx: Tx, row: ConfigRow): void {
  const sql = `INSERT OR REPLACE INTO ai_config (id, provider, base_url, model, api_key, timeout_ms)
    VALUES (1, ?, ?, ?, ?, ?)`
  tx.run(statement(sql, [row.provider, row.base_url, row.model, row.api_key, row.timeout_ms]))
}

/** A conversation of a user. */
export function getConversation(read: Pick<Reads, 'get'>, id: string, userId: string): ConversationRow | undefined {
  const sql = 'SELECT * FROM ai_conversation WHERE id = ? AND user_id = ?'
  return read.get(statement<ConversationRow>(sql, [id, userId]))
}

/** Stores a conversation anew or once more. */
export function putConversation(tx: Tx, row: ConversationRow): void {
  const sql = `INSERT INTO ai_conversation (id, user_id, title, object, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET object = excluded.object, updated_at = excluded.updated_at`
  tx.run(statement(sql, [row.id, row.user_id, row.title, row.object, row.created_at, row.updated_at]))
}

/** Adds what was said. */
export function addMessage(tx: Tx, conversationId: string, { role, content, created_at: at }: MessageRow): void {
  const sql = 'INSERT INTO ai_message (conversation_id, role, content, created_at) VALUES (?, ?, ?, ?)'
  tx.run(statement(sql, [conversationId, role, content, at]))
}

/** The conversations of a user, the latest first, from before a place on. */
export function listConversations(
  read: Pick<Reads, 'all'>,
  userId: string,
  before: { readonly at: string; readonly id: string } | null,
  limit: number,
): (ConversationRow & { readonly messages: number })[] {
  const place = before === null ? '' : ' AND (c.updated_at, c.id) < (?, ?)'
  const sql = `SELECT c.*, (SELECT count(*) FROM ai_message AS m WHERE m.conversation_id = c.id) AS messages
    FROM ai_conversation AS c WHERE c.user_id = ?${place} ORDER BY c.updated_at DESC, c.id DESC LIMIT ?`
  const values = [userId, ...(before === null ? [] : [before.at, before.id]), limit]
  return read.all(statement<ConversationRow & { messages: number }>(sql, values))
}

/** The latest messages of a conversation, oldest first. */
export function listMessages(read: Pick<Reads, 'all'>, conversationId: string, limit: number): MessageRow[] {
  const sql = 'SELECT role, content, created_at FROM ai_message WHERE conversation_id = ? ORDER BY seq DESC LIMIT ?'
  return read.all(statement<MessageRow>(sql, [conversationId, limit])).toReversed()
}

/** Removes a conversation with its messages. @returns false when the user has none of that id */
export function removeConversation(tx: Tx, id: string, userId: string): boolean {
  return tx.run(statement('DELETE FROM ai_conversation WHERE id = ? AND user_id = ?', [id, userId])).changes > 0
}

/** Removes what a user has beyond so many conversations. */
export function dropOldConversations(tx: Tx, userId: string, kept: number): void {
  const sql = `DELETE FROM ai_conversation WHERE user_id = ? AND id NOT IN
    (SELECT id FROM ai_conversation WHERE user_id = ? ORDER BY updated_at DESC, id DESC LIMIT ?)`
  tx.run(statement(sql, [userId, userId, kept]))
}
