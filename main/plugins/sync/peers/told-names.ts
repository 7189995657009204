// What the roster has not been told of the people of this machine. Pure; knows no database.
import type { AuthUser } from '#main/plugins/auth/api.ts'
import type { Roster } from './roster.ts'

/**
 * Names to write into the roster: of people nobody told of, and with `renamed` of those who are called otherwise here.
 * Without it two machines that call one person differently would take turns at every start.
 */
export function untoldNames(
  people: readonly Pick<AuthUser, 'id' | 'name'>[],
  roster: Pick<Roster, 'nameOfUser'>,
  renamed: boolean,
): ReadonlyMap<string, string> {
  const untold = new Map<string, string>()
  for (const { id, name } of people) {
    const told = roster.nameOfUser(id)
    if (name !== '' && (told === undefined || (renamed && told !== name))) untold.set(id, name)
  }
  return untold
}
