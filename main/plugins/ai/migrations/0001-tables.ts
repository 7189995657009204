// The provider and the conversations. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `api_key` is sealed. The one row of `ai_config` has the id 1. Times are ISO 8601. */
export const tables: Migration = {
  number: 1,
  name: 'tables',
  sql: `
    CREATE TABLE ai_config (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      provider TEXT NOT NULL,
      base_url TEXT,
      model TEXT,
      api_key TEXT,
      timeout_ms INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE ai_conversation (
      id TEXT PRIMARY KEY,
      user_id TEXT NOT NULL,
      title TEXT NOT NULL,
      object TEXT,
      created_at TEXT NOT NULL,
      updated_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX ai_conversation_user ON ai_conversation (user_id, updated_at, id);
    CREATE TABLE ai_message (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      conversation_id TEXT NOT NULL REFERENCES ai_conversation (id) ON DELETE CASCADE,
      role TEXT NOT NULL,
      content TEXT NOT NULL,
      created_at TEXT NOT NULL
    ) STRICT;
    CREATE INDEX ai_message_conversation ON ai_message (conversation_id, seq);
  `,
}
