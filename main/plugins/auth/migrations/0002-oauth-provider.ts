// The tables of the OpenID provider role. Frozen once released.
import type { Migration } from '#main/kernel/plugin.ts'

/** Clients, tokens and consents of the provider role, and its signing keys. */
export const oauthProviderTables: Migration = {
  number: 2,
  name: 'oauth-provider',
  sql: `
    CREATE TABLE auth_jwks (
      id TEXT NOT NULL PRIMARY KEY,
      publicKey TEXT NOT NULL,
      privateKey TEXT NOT NULL,
      createdAt DATE NOT NULL,
      expiresAt DATE,
      alg TEXT,
      crv TEXT
    );
    CREATE TABLE auth_oauth_client (
      id TEXT NOT NULL PRIMARY KEY,
      clientId TEXT NOT NULL UNIQUE,
      clientSecret TEXT,
      clientDiscoveryId TEXT,
      disabled INTEGER,
      skipConsent INTEGER,
      enableEndSession INTEGER,
      subjectType TEXT,
      scopes TEXT,
      clientCredentialsScopes TEXT,
      userId TEXT REFERENCES auth_user (id) ON DELETE CASCADE,
      createdAt DATE,
      updatedAt DATE,
      name TEXT,
      uri TEXT,
      icon TEXT,
      contacts TEXT,
      tos TEXT,
      policy TEXT,
      softwareId TEXT,
      softwareVersion TEXT,
      softwareStatement TEXT,
      redirectUris TEXT NOT NULL,
      postLogoutRedirectUris TEXT,
      backchannelLogoutUri TEXT,
      backchannelLogoutSessionRequired INTEGER,
      tokenEndpointAuthMethod TEXT,
      applicationType TEXT,
      jwks TEXT,
      jwksUri TEXT,
      grantTypes TEXT,
      responseTypes TEXT,
      requirePKCE INTEGER,
      dpopBoundAccessTokens INTEGER,
      referenceId TEXT,
      metadata TEXT
    );
    CREATE TABLE auth_oauth_resource (
      id TEXT NOT NULL PRIMARY KEY,
      identifier TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      accessTokenTtl INTEGER,
      refreshTokenTtl INTEGER,
      signingAlgorithm TEXT,
      signingKeyId TEXT,
      allowedScopes TEXT,
      customClaims TEXT,
      dpopBoundAccessTokensRequired INTEGER,
      disabled INTEGER,
      createdAt DATE,
      updatedAt DATE,
      policyVersion INTEGER,
      metadata TEXT
    );
    CREATE TABLE auth_oauth_client_resource (
      id TEXT NOT NULL PRIMARY KEY,
      clientId TEXT NOT NULL REFERENCES auth_oauth_client (clientId) ON DELETE CASCADE,
      resourceId TEXT NOT NULL REFERENCES auth_oauth_resource (identifier) ON DELETE CASCADE,
      metadata TEXT,
      createdAt DATE
    );
    CREATE TABLE auth_oauth_refresh_token (
      id TEXT NOT NULL PRIMARY KEY,
      token TEXT NOT NULL UNIQUE,
      clientId TEXT NOT NULL REFERENCES auth_oauth_client (clientId) ON DELETE CASCADE,
      sessionId TEXT REFERENCES auth_session (id) ON DELETE SET NULL,
      userId TEXT NOT NULL REFERENCES auth_user (id) ON DELETE CASCADE,
      referenceId TEXT,
      authorizationCodeId TEXT,
      resources TEXT,
      requestedUserInfoClaims TEXT,
      expiresAt DATE NOT NULL,
      createdAt DATE NOT NULL,
      revoked DATE,
      rotatedAt DATE,
      rotationReplayResponse TEXT,
      rotationReplayExpiresAt DATE,
      authTime DATE,
      confirmation TEXT,
      scopes TEXT NOT NULL
    );
    CREATE TABLE auth_oauth_access_token (
      id TEXT NOT NULL PRIMARY KEY,
      token TEXT NOT NULL UNIQUE,
      clientId TEXT NOT NULL REFERENCES auth_oauth_client (clientId) ON DELETE CASCADE,
      sessionId TEXT REFERENCES auth_session (id) ON DELETE SET NULL,
      userId TEXT REFERENCES auth_user (id) ON DELETE CASCADE,
      referenceId TEXT,
      authorizationCodeId TEXT,
      resources TEXT,
      requestedUserInfoClaims TEXT,
      refreshId TEXT REFERENCES auth_oauth_refresh_token (id) ON DELETE CASCADE,
      expiresAt DATE NOT NULL,
      createdAt DATE NOT NULL,
      revoked DATE,
      confirmation TEXT,
      scopes TEXT NOT NULL
    );
    CREATE TABLE auth_oauth_consent (
      id TEXT NOT NULL PRIMARY KEY,
      clientId TEXT NOT NULL REFERENCES auth_oauth_client (clientId) ON DELETE CASCADE,
      userId TEXT REFERENCES auth_user (id) ON DELETE CASCADE,
      referenceId TEXT,
      resources TEXT,
      requestedUserInfoClaims TEXT,
      scopes TEXT NOT NULL,
      createdAt DATE NOT NULL,
      updatedAt DATE NOT NULL
    );
    CREATE TABLE auth_oauth_client_assertion (
      id TEXT NOT NULL PRIMARY KEY,
      expiresAt DATE NOT NULL
    );
    CREATE INDEX auth_oauth_client_userId_idx ON auth_oauth_client (userId);
    CREATE INDEX auth_oauth_client_resource_clientId_idx ON auth_oauth_client_resource (clientId);
    CREATE INDEX auth_oauth_client_resource_resourceId_idx ON auth_oauth_client_resource (resourceId);
    CREATE INDEX auth_oauth_refresh_token_clientId_idx ON auth_oauth_refresh_token (clientId);
    CREATE INDEX auth_oauth_refresh_token_sessionId_idx ON auth_oauth_refresh_token (sessionId);
    CREATE INDEX auth_oauth_refresh_token_userId_idx ON auth_oauth_refresh_token (userId);
    CREATE INDEX auth_oauth_refresh_token_authorizationCodeId_idx ON auth_oauth_refresh_token (authorizationCodeId);
    CREATE INDEX auth_oauth_access_token_clientId_idx ON auth_oauth_access_token (clientId);
    CREATE INDEX auth_oauth_access_token_sessionId_idx ON auth_oauth_access_token (sessionId);
    CREATE INDEX auth_oauth_access_token_userId_idx ON auth_oauth_access_token (userId);
    CREATE INDEX auth_oauth_access_token_authorizationCodeId_idx ON auth_oauth_access_token (authorizationCodeId);
    CREATE INDEX auth_oauth_access_token_refreshId_idx ON auth_oauth_access_token (refreshId);
    CREATE INDEX auth_oauth_consent_clientId_idx ON auth_oauth_consent (clientId);
    CREATE INDEX auth_oauth_consent_userId_idx ON auth_oauth_consent (userId);
    CREATE UNIQUE INDEX auth_oauth_client_resource_clientId_resourceId_uidx ON auth_oauth_client_resource (clientId, resourceId);
  `,
}
