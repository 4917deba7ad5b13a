// Package claudetest runs the real Claude Code against a model that is a script: an endpoint on this machine that answers with a
// fixed sequence of tool calls. It is for tests. It refuses everything that is not for this machine, and it takes nothing from
// the environment of the test: the agent gets a home folder and variables of its own.
package claudetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Call is one tool call that the model makes.
type Call struct {
	Tool  string
	Input any // what becomes the tool's arguments, a JSON object
}

// Script is what the model does in one conversation: the calls, one after the other, and then the text "done".
type Script struct {
	When  string // the conversation is this one when its first message has this text; "" fits every conversation
	Calls []Call
}

// Result is the answer to a tool call, as the model received it.
type Result struct {
	Call  string // id of the call
	Text  string
	Error bool
}

// Model is the endpoint: the part of the Anthropic Messages API that Claude Code uses (POST /v1/messages, streamed or not). It is
// stateless: how far a conversation is, is the number of tool results in the request.
type Model struct {
	server  *httptest.Server
	scripts []Script

	mu       sync.Mutex
	requests []Request
	outside  []string
	defects  []string
}

// Request is what Claude Code sent.
type Request struct {
	Script  string   // the When of the script that answered
	Results []Result // those of the conversation so far
}

// NewModel starts an endpoint. The first script that fits a conversation answers it.
func NewModel(scripts ...Script) *Model {
	m := &Model{scripts: scripts}
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	return m
}

// Close stops the endpoint.
func (m *Model) Close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// Results are the answers that the model received in the longest conversation of a script.
func (m *Model) Results(when string) []Result {
	m.mu.Lock()
	defer m.mu.Unlock()
	var most []Result
	for _, r := range m.requests {
		if r.Script == when && len(r.Results) > len(most) {
			most = r.Results
		}
	}
	return most
}

// Outside are the requests for other machines. They were refused.
func (m *Model) Outside() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.outside...)
}

// Defects are the requests that this endpoint did not understand: the agent has changed, and its run proves nothing.
func (m *Model) Defects() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.defects...)
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	// The endpoint is also the proxy of the agent, so that what it wants from elsewhere is seen and refused.
	if r.Method == http.MethodConnect || r.URL.IsAbs() {
		m.note(&m.outside, r.Method+" "+r.URL.Host)
		http.Error(w, "no way out", http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, "{}")
		return
	}
	var msg message
	if err := json.NewDecoder(r.Body).Decode(&msg); err != nil {
		m.note(&m.defects, err.Error())
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	block := m.answer(msg)
	if !msg.Stream {
		json.NewEncoder(w).Encode(block.message())
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range block.events() {
		data, err := json.Marshal(e)
		if err != nil {
			m.note(&m.defects, err.Error())
			return
		}
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", e["type"], data)
	}
}

func (m *Model) note(list *[]string, s string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	*list = append(*list, s)
}

// answer chooses what the model says.
func (m *Model) answer(msg message) block {
	if len(msg.Tools) == 0 { // a request on the side, for a title or a check of the quota
		return block{Text: "ok"}
	}
	first, results, err := msg.read()
	if err != nil {
		m.note(&m.defects, err.Error())
	}
	for n, s := range m.scripts {
		if !strings.Contains(first, s.When) {
			continue
		}
		m.mu.Lock()
		m.requests = append(m.requests, Request{s.When, results})
		m.mu.Unlock()
		if step := len(results); step < len(s.Calls) {
			return block{ID: fmt.Sprintf("toolu_%02d%06d", n, step), Call: s.Calls[step]}
		}
		return block{Text: "done"}
	}
	m.note(&m.defects, "no script fits the conversation")
	return block{Text: "done"}
}

// message is a request of the Messages API, as far as it is read here.
type message struct {
	Stream   bool
	Tools    []struct{ Name string }
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

type part struct {
	Type      string
	Text      string
	ToolUseID string `json:"tool_use_id"`
	Content   json.RawMessage
	IsError   bool `json:"is_error"`
}

// read gives the text of the messages before the first answer, and the tool results.
func (msg message) read() (first string, results []Result, err error) {
	answered := false
	for _, m := range msg.Messages {
		answered = answered || m.Role == "assistant"
		parts, err := readParts(m.Content)
		if err != nil {
			return "", nil, err
		}
		for _, p := range parts {
			if p.Type == "text" && !answered {
				first += p.Text + "\n"
			}
			if p.Type != "tool_result" {
				continue
			}
			inner, err := readParts(p.Content)
			if err != nil {
				return "", nil, err
			}
			text := ""
			for _, i := range inner {
				text += i.Text
			}
			results = append(results, Result{p.ToolUseID, text, p.IsError})
		}
	}
	return first, results, nil
}

// readParts reads content, which is a text or a list of parts.
func readParts(raw json.RawMessage) (parts []part, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if raw[0] == '"' {
		p := part{Type: "text"}
		err = json.Unmarshal(raw, &p.Text)
		return []part{p}, err
	}
	err = json.Unmarshal(raw, &parts)
	return parts, err
}

// block is the one content block of an answer: a text, or a call.
type block struct {
	Text string
	ID   string
	Call Call
}

func (b block) stop() string {
	if b.ID == "" {
		return "end_turn"
	}
	return "tool_use"
}

func (b block) content(whole bool) map[string]any {
	if b.ID == "" {
		c := map[string]any{"type": "text", "text": ""}
		if whole {
			c["text"] = b.Text
		}
		return c
	}
	c := map[string]any{"type": "tool_use", "id": b.ID, "name": b.Call.Tool, "input": map[string]any{}}
	if whole {
		c["input"] = b.Call.Input
	}
	return c
}

func (b block) message() map[string]any {
	return map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{b.content(true)},
		"stop_reason": b.stop(), "stop_sequence": nil, "usage": usage(),
	}
}

func usage() map[string]any { return map[string]any{"input_tokens": 1, "output_tokens": 1} }

// events are the answer as a stream (Anthropic's documentation of streaming messages).
func (b block) events() []map[string]any {
	delta := map[string]any{"type": "text_delta", "text": b.Text}
	if b.ID != "" {
		input, err := json.Marshal(b.Call.Input)
		if err != nil {
			input = []byte(err.Error()) // the agent refuses it, and the test fails
		}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
	}
	start := b.message()
	start["content"], start["stop_reason"] = []any{}, nil
	return []map[string]any{
		{"type": "message_start", "message": start},
		{"type": "content_block_start", "index": 0, "content_block": b.content(false)},
		{"type": "content_block_delta", "index": 0, "delta": delta},
		{"type": "content_block_stop", "index": 0},
		{"type": "message_delta", "delta": map[string]any{"stop_reason": b.stop(), "stop_sequence": nil}, "usage": usage()},
		{"type": "message_stop"},
	}
}
