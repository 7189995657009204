// The tables the library of accounts works with. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Accounts, sessions, second factors, organizations and device codes, in the names and types of the library; instants are ISO texts. */
export const accounts: Migration = {
  number: 1,
  name: 'accounts',
  sql: `
    CREATE TABLE auth_user (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      email TEXT NOT NULL UNIQUE,
      emailVerified INTEGER NOT NULL,
      image TEXT,
      createdAt DATE NOT NULL,
      updatedAt DATE NOT NULL,
      username TEXT UNIQUE,
      displayUsername TEXT,
      role TEXT,
      banned INTEGER,
      banReason TEXT,
      banExpires DATE,
      twoFactorEnabled INTEGER,
      mustChangePassword INTEGER
    );
    CREATE TABLE auth_session (
      id TEXT NOT NULL PRIMARY KEY,
      expiresAt DATE NOT NULL,
      token TEXT NOT NULL UNIQUE,
      createdAt DATE NOT NULL,
      updatedAt DATE NOT NULL,
      ipAddress TEXT,
      userAgent TEXT,
      userId TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
      impersonatedBy TEXT,
      activeOrganizationId TEXT,
      activeTeamId TEXT
    );
    CREATE TABLE auth_account (
      id TEXT NOT NULL PRIMARY KEY,
      accountId TEXT NOT NULL,
      providerId TEXT NOT NULL,
      userId TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
      accessToken TEXT,
      refreshToken TEXT,
      idToken TEXT,
      accessTokenExpiresAt DATE,
      refreshTokenExpiresAt DATE,
      scope TEXT,
      password TEXT,
      createdAt DATE NOT NULL,
      updatedAt DATE NOT NULL
    );
    CREATE TABLE auth_verification (
      id TEXT NOT NULL PRIMARY KEY,
      identifier TEXT NOT NULL,
      value TEXT NOT NULL,
      expiresAt DATE NOT NULL,
      createdAt DATE NOT NULL,
      updatedAt DATE NOT NULL
    );
    CREATE TABLE auth_two_factor (
      id TEXT NOT NULL PRIMARY KEY,
      secret TEXT NOT NULL,
      backupCodes TEXT NOT NULL,
      userId TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
      verified INTEGER,
      failedVerificationCount INTEGER,
      lockedUntil DATE
    );
    CREATE TABLE auth_organization (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      slug TEXT NOT NULL UNIQUE,
      logo TEXT,
      createdAt DATE NOT NULL,
      metadata TEXT
    );
    CREATE TABLE auth_team (
      id TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      memberCount INTEGER NOT NULL,
      organizationId TEXT NOT NULL REFERENCES auth_organization (id) ON DELETE CASCADE,
      createdAt DATE NOT NULL,
      updatedAt DATE
    );
    CREATE TABLE auth_team_member (
      id TEXT NOT NULL PRIMARY KEY,
      teamId TEXT NOT NULL REFERENCES auth_team (id) ON DELETE CASCADE,
      userId TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
      membershipKey TEXT UNIQUE,
      createdAt DATE
    );
    CREATE TABLE auth_member (
      id TEXT NOT NULL PRIMARY KEY,
      organizationId TEXT NOT NULL REFERENCES auth_organization (id) ON DELETE CASCADE,
      userId TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
      role TEXT NOT NULL,
      createdAt DATE NOT NULL
    );
    CREATE TABLE auth_invitation (
      id TEXT NOT NULL PRIMARY KEY,
      organizationId TEXT NOT NULL REFERENCES auth_organization (id) ON DELETE CASCADE,
      email TEXT NOT NULL,
      role TEXT,
      teamId TEXT,
      status TEXT NOT NULL,
      expiresAt DATE NOT NULL,
      createdAt DATE NOT NULL,
      inviterId TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE
    );
    CREATE TABLE auth_device_code (
      id TEXT NOT NULL PRIMARY KEY,
      deviceCode TEXT NOT NULL,
      userCode TEXT NOT NULL,
      userId TEXT,
      expiresAt DATE NOT NULL,
      status TEXT NOT NULL,
      lastPolledAt DATE,
      pollingInterval INTEGER,
      clientId TEXT,
      scope TEXT
    );
    CREATE INDEX auth_session_userId_idx ON auth_session (userId);
    CREATE INDEX auth_account_userId_idx ON auth_account (userId);
    CREATE INDEX auth_verification_identifier_idx ON auth_verification (identifier);
    CREATE INDEX auth_two_factor_secret_idx ON auth_two_factor (secret);
    CREATE INDEX auth_two_factor_userId_idx ON auth_two_factor (userId);
    CREATE INDEX auth_team_organizationId_idx ON auth_team (organizationId);
    CREATE INDEX auth_team_member_teamId_idx ON auth_team_member (teamId);
    CREATE INDEX auth_team_member_userId_idx ON auth_team_member (userId);
    CREATE INDEX auth_member_organizationId_idx ON auth_member (organizationId);
    CREATE INDEX auth_member_userId_idx ON auth_member (userId);
    CREATE INDEX auth_invitation_organizationId_idx ON auth_invitation (organizationId);
    CREATE INDEX auth_invitation_email_idx ON auth_invitation (email);
    CREATE UNIQUE INDEX auth_device_code_deviceCode_uidx ON auth_device_code (deviceCode);
    CREATE UNIQUE INDEX auth_device_code_userCode_uidx ON auth_device_code (userCode);
  `,
}
