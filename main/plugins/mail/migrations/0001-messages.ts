// The mails that wait, the records they quote, and the causes that had their mail. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Instants are milliseconds. A row of `mail_message` goes when its mail was sent or given up; `digest` is SHA-256. */
export const messages: Migration = {
  number: 1,
  name: 'messages',
  sql: `
    CREATE TABLE mail_message (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      recipient TEXT NOT NULL,
      subject TEXT NOT NULL,
      body TEXT NOT NULL,
      html TEXT,
      created_at INTEGER NOT NULL,
      next_attempt_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE mail_about (
      record_id TEXT NOT NULL,
      object TEXT NOT NULL,
      message_seq INTEGER NOT NULL REFERENCES mail_message (seq) ON DELETE CASCADE,
      PRIMARY KEY (record_id, object, message_seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mail_about_message ON mail_about (message_seq);
    CREATE TABLE mail_cause (
      digest TEXT NOT NULL PRIMARY KEY,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mail_cause_at ON mail_cause (at);
  `,
}
