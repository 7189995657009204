// Which records of packages are samples. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** `packages_package.samples` is 0 once nobody wants samples of it; `packages_seed.sample` is 1 for a record that is one. */
export const samples: Migration = {
  number: 2,
  name: 'samples',
  sql: `
    ALTER TABLE packages_package ADD COLUMN samples INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE packages_seed ADD COLUMN sample INTEGER NOT NULL DEFAULT 0;
  `,
}
