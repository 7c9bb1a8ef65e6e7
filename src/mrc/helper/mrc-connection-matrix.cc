// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-workload-file.h"
#include "mrc-workload-line.h"

#include <algorithm>
#include <map>

namespace mrc
{

namespace
{

/// A connection and what it has to do with triggers; 0 = none.
struct Connection
{
    Message message;            ///< what it sends
    uint32_t line;              ///< where it stands
    uint64_t startedBy;         ///< trigger that starts it
    std::vector<uint64_t> ends; ///< triggers that it fires when it is over
};

/// A trigger.
struct Trigger
{
    uint32_t line{0};            ///< where it is declared; 0 = nowhere
    uint64_t count{1};           ///< connections that must be over
    std::vector<size_t> firedBy; ///< connections
};

/// Reads a file from its first line to its last.
class Reader
{
  public:
    /// @param in the text @param file its name
    Reader(std::istream& in, const std::string& file)
        : m_line(in, file),
          m_file(file)
    {
    }

    /// @return the workload @throws WorkloadError
    Workload Read()
    {
        while (m_line.Next())
        {
            const std::string word = m_line.Word("");
            if (word == "Nodes")
            {
                m_nodes = m_line.Whole("the number of nodes", UINT32_MAX - 1);
            }
            else if (word == "Connections" || word == "Triggers")
            {
                (word[0] == 'C' ? m_connectionCount : m_triggerCount) =
                    m_line.Whole("a number", UINT32_MAX - 1);
            }
            else if (word == "trigger")
            {
                ReadTrigger();
            }
            else if (word.find("->") != std::string::npos)
            {
                ReadConnection(word);
            }
            else
            {
                m_line.Fail("'" + word + "' is neither a connection such as 0->1, nor trigger, " +
                            "Nodes, Connections or Triggers");
            }
        }
        CheckCounts();
        return Order();
    }

  private:
    /// Read the rest of a line that declares a trigger.
    void ReadTrigger()
    {
        if (m_line.Word("id") != "id")
        {
            m_line.Fail("a trigger is 'trigger id NUMBER oneshot' or '... barrier count NUMBER'");
        }
        Trigger& trigger = m_triggers[m_line.Whole("the trigger's number", UINT32_MAX)];
        if (trigger.line != 0)
        {
            m_line.Fail("this trigger is declared in line " + std::to_string(trigger.line) +
                        " too");
        }
        trigger.line = m_line.Number();
        const std::string kind = m_line.Word("oneshot or barrier");
        if (kind == "barrier")
        {
            if (m_line.Word("count") != "count")
            {
                m_line.Fail("a barrier needs 'count NUMBER'");
            }
            trigger.count = m_line.Whole("a number of connections", UINT32_MAX);
        }
        else if (kind != "oneshot")
        {
            m_line.Fail("triggers of kind '" + kind + "' are not supported: oneshot or barrier");
        }
    }

    /// Read the rest of a connection. @param ends the word "SOURCE->DESTINATION"
    void ReadConnection(const std::string& ends)
    {
        Connection connection{{0, 0, 0, 0, {}, false}, m_line.Number(), 0, {}};
        const size_t arrow = ends.find("->");
        connection.message.source = Node(ends.substr(0, arrow));
        connection.message.destination = Node(ends.substr(arrow + 2));
        bool hasSize = false;
        while (m_line.HasMore())
        {
            const std::string key = m_line.Word("");
            const uint64_t value = m_line.Whole("a number behind " + key, INT64_MAX);
            if (key == "size")
            {
                connection.message.bytes = value;
                hasSize = true;
            }
            else if (key == "start")
            {
                connection.message.startPs = static_cast<int64_t>(value);
            }
            else if (key == "trigger")
            {
                connection.startedBy = value;
            }
            else if (key == "send_done_trigger" || key == "recv_done_trigger")
            {
                connection.ends.push_back(value);
            }
            else if (key != "id" && key != "priority")
            {
                m_line.Fail("'" + key + "' is none of id, start, size, trigger, " +
                            "send_done_trigger, recv_done_trigger, priority");
            }
        }
        if (!hasSize)
        {
            m_line.Fail("a connection without 'size BYTES' never ends: not supported");
        }
        m_line.Check(connection.message);
        m_connections.push_back(std::move(connection));
    }

    /// @param text a node's number @return it
    uint32_t Node(const std::string& text) const
    {
        try
        {
            return static_cast<uint32_t>(ParseWhole(text, m_nodes ? m_nodes - 1 : UINT32_MAX - 1));
        }
        catch (const UnitError&)
        {
            m_line.Fail("'" + text + "' is no node" +
                        (m_nodes ? ": 0 to " + std::to_string(m_nodes - 1) : std::string()));
        }
    }

    /// Hold what the header announces against what there is.
    void CheckCounts() const
    {
        const auto check = [this](uint64_t announced, size_t found, const char* what) {
            if (announced != found)
            {
                throw WorkloadError(m_file + ": " + std::to_string(announced) + " " + what +
                                    " are announced, " + std::to_string(found) + " are there");
            }
        };
        check(m_connectionCount, m_connections.size(), "connections");
        const auto declared = std::count_if(m_triggers.begin(), m_triggers.end(), [](auto& entry) {
            return entry.second.line != 0;
        });
        check(m_triggerCount, static_cast<size_t>(declared), "triggers");
    }

    /// Turn triggers into dependencies, and bring what is waited for in front.
    Workload Order()
    {
        for (size_t i = 0; i < m_connections.size(); ++i)
        {
            for (const uint64_t id : m_connections[i].ends)
            {
                Declared(id, m_connections[i].line).firedBy.push_back(i);
            }
        }
        Workload workload;
        workload.name = "connection-matrix";
        workload.parameters = {{"file", m_file}};
        workload.hasTriggers = true;

        // Connections become messages once all that they wait for have: rounds of a topological
        // sort.
        std::vector<std::vector<size_t>> waiters(m_connections.size());
        std::vector<size_t> missing(m_connections.size());
        std::vector<size_t> ready;
        for (size_t i = 0; i < m_connections.size(); ++i)
        {
            const Connection& connection = m_connections[i];
            if (connection.startedBy == 0)
            {
                ready.push_back(i);
                continue;
            }
            const Trigger& trigger = Declared(connection.startedBy, connection.line);
            if (trigger.firedBy.size() != trigger.count)
            {
                m_line.FailAt(trigger.line,
                              std::to_string(trigger.firedBy.size()) +
                                  " connections fire trigger " +
                                  std::to_string(connection.startedBy) + ", which waits for " +
                                  std::to_string(trigger.count));
            }
            missing[i] = trigger.firedBy.size();
            for (const size_t earlier : trigger.firedBy)
            {
                waiters[earlier].push_back(i);
            }
        }
        std::vector<uint32_t> indexOf(m_connections.size());
        for (size_t next = 0; next < ready.size(); ++next)
        {
            const size_t i = ready[next];
            indexOf[i] = static_cast<uint32_t>(next);
            Message message = m_connections[i].message;
            if (m_connections[i].startedBy != 0)
            {
                for (const size_t earlier : m_triggers[m_connections[i].startedBy].firedBy)
                {
                    message.after.Add(indexOf[earlier]);
                }
            }
            workload.messages.push_back(std::move(message));
            for (const size_t waiter : waiters[i])
            {
                if (--missing[waiter] == 0)
                {
                    ready.push_back(waiter);
                }
            }
        }
        for (size_t i = 0; i < m_connections.size(); ++i)
        {
            if (missing[i] != 0)
            {
                m_line.FailAt(m_connections[i].line,
                              "this connection waits for itself, by way of its triggers");
            }
        }
        if (workload.messages.empty())
        {
            throw WorkloadError(m_file + ": no connection in it");
        }
        return workload;
    }

    /// @param id a trigger @param line that names it @return it @throws if it is declared nowhere
    Trigger& Declared(uint64_t id, uint32_t line)
    {
        const auto found = m_triggers.find(id);
        if (found == m_triggers.end() || found->second.line == 0)
        {
            m_line.FailAt(line, "trigger " + std::to_string(id) + " is declared nowhere");
        }
        return found->second;
    }

    WorkloadLine m_line;                    //!< where the reader is
    std::string m_file;                     //!< its name
    uint64_t m_nodes{0};                    //!< announced; 0 = not
    uint64_t m_connectionCount{0};          //!< announced
    uint64_t m_triggerCount{0};             //!< announced
    std::vector<Connection> m_connections;  //!< in the file's order
    std::map<uint64_t, Trigger> m_triggers; //!< by id
};

} // namespace

Workload
ReadConnectionMatrix(std::istream& in, const std::string& file)
{
    return Reader(in, file).Read();
}

} // namespace mrc
