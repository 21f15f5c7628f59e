package cmdutil

import (
	"io"
	"net/http"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/redact"
)

// logger writes debug output to Err: warnings always, requests from -v on.
func (c *Connection) logger() *zap.Logger {
	if c.log != nil {
		return c.log
	}
	level := zapcore.WarnLevel
	if c.notices.streams.Verbosity > 0 {
		level = zapcore.DebugLevel
	}
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", MessageKey: "message", EncodeTime: zapcore.ISO8601TimeEncoder,
		EncodeLevel: zapcore.CapitalLevelEncoder, EncodeDuration: zapcore.StringDurationEncoder,
	})
	c.log = zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(redactingWriter{c.notices.streams.Err})), level))
	return c.log
}

// redactingWriter removes secrets and control characters from log lines, because these contain texts of servers.
type redactingWriter struct{ w io.Writer }

func (w redactingWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.w, redact.Message(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// logRequests logs method, path, status and duration of each request for -v. It never logs bodies or headers, which may
// contain secrets.
func (c *Connection) logRequests(next http.RoundTripper) http.RoundTripper {
	log := c.logger()
	if !log.Core().Enabled(zapcore.DebugLevel) {
		return next
	}
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		begin := time.Now()
		resp, err := next.RoundTrip(r)
		fields := []zap.Field{zap.String("method", r.Method), zap.String("path", r.URL.RequestURI()),
			zap.Duration("took", time.Since(begin))}
		if err != nil {
			log.Debug("request", append(fields, zap.String("error", value(err.Error())))...)
			return resp, err
		}
		log.Debug("request", append(fields, zap.Int("status", resp.StatusCode))...)
		return resp, nil
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// warnings logs the API server's warning headers at debug level, because they address API developers.
type warnings struct{ log *zap.Logger }

var _ rest.WarningHandler = warnings{}

// HandleWarningHeader implements rest.WarningHandler.
func (w warnings) HandleWarningHeader(code int, agent, text string) {
	w.log.Debug("API warning", zap.Int("code", code), zap.String("agent", value(agent)), zap.String("text", value(text)))
}
